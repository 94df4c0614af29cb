/* SPDX-License-Identifier: MIT */
	.section .rodata.image, "a", %progbits
	.balign	4096
	.globl	image_bytes
	.globl	image_memory
	.globl	image_end
	.globl	strip_bytes
	.globl	strip_memory
	.globl	strip_end
image_bytes:
	.incbin	IMAGE_FILE
image_end:
	.set	image_memory, image_bytes + 4096
	.balign	4096
strip_bytes:
	.incbin	STRIP_FILE
strip_end:
	.set	strip_memory, strip_bytes + 4096

	.section .note.GNU-stack, "", %progbits
