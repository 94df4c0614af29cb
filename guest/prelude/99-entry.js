// SPDX-License-Identifier: MIT
/* The last file: what the host keeps of the prelude. Files that add to the guest go before it. */
return entry;
