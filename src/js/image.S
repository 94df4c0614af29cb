/* SPDX-License-Identifier: MIT */
	.section .rodata.image, "a", %progbits
	.balign	4096
	.globl	image_bytes
	.globl	image_memory
	.globl	image_end
image_bytes:
	.incbin	IMAGE_FILE
image_end:
	.set	image_memory, image_bytes + 4096

	.section .note.GNU-stack, "", %progbits
