/* SPDX-License-Identifier: MIT */
/* How a VM's script ended, as crisol-js says it in the message vm_done. */
#ifndef IPC_OUTCOME_H
#define IPC_OUTCOME_H

enum vm_outcome {
	VM_OK,
	VM_ERROR, /* the script threw, or its source is wrong: error says what */
	VM_TIMEOUT,
	VM_CPU,
	VM_MEMORY,
	VM_STACK,
	VM_CANCELLED,
	VM_STALLED, /* waits for what nothing can settle */
	VM_CRASHED, /* the engine itself failed; the walls held */
	VM_NO_ROOM, /* there was no memory or address space for the VM: why says it */
	VM_OUTCOMES,
};

#endif
