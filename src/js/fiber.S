/* SPDX-License-Identifier: MIT */
/* fiber_swap(from, to): see fiber.h. The frame's layout is struct first_frame in fiber.c. */
	.text

#if defined(__x86_64__)

	.globl	fiber_swap
	.type	fiber_swap, @function
fiber_swap:
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	mov	%rsp, (%rdi)
	mov	(%rsi), %rsp
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret
	.size	fiber_swap, . - fiber_swap

	.globl	fiber_entry
	.type	fiber_entry, @function
fiber_entry:
	mov	%r12, %rdi
	call	*%r13
	ud2
	.size	fiber_entry, . - fiber_entry

#elif defined(__aarch64__)

	.globl	fiber_swap
	.type	fiber_swap, %function
fiber_swap:
	sub	sp, sp, #160
	stp	d8, d9, [sp, #0]
	stp	d10, d11, [sp, #16]
	stp	d12, d13, [sp, #32]
	stp	d14, d15, [sp, #48]
	stp	x19, x20, [sp, #64]
	stp	x21, x22, [sp, #80]
	stp	x23, x24, [sp, #96]
	stp	x25, x26, [sp, #112]
	stp	x27, x28, [sp, #128]
	stp	x29, x30, [sp, #144]
	mov	x9, sp
	str	x9, [x0]
	ldr	x9, [x1]
	mov	sp, x9
	ldp	d8, d9, [sp, #0]
	ldp	d10, d11, [sp, #16]
	ldp	d12, d13, [sp, #32]
	ldp	d14, d15, [sp, #48]
	ldp	x19, x20, [sp, #64]
	ldp	x21, x22, [sp, #80]
	ldp	x23, x24, [sp, #96]
	ldp	x25, x26, [sp, #112]
	ldp	x27, x28, [sp, #128]
	ldp	x29, x30, [sp, #144]
	add	sp, sp, #160
	ret
	.size	fiber_swap, . - fiber_swap

	.globl	fiber_entry
	.type	fiber_entry, %function
fiber_entry:
	mov	x0, x20
	blr	x19
	brk	#0
	.size	fiber_entry, . - fiber_entry

#endif

	.section .note.GNU-stack, "", %progbits
