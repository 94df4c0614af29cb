/* SPDX-License-Identifier: MIT */
/* Where ripgrep is, for who runs it and for who says that it is missing. */
#ifndef TOOL_RG_PLACE_H
#define TOOL_RG_PLACE_H

/* Where it is looked for; the first one there is used. */
extern const char *const rg_places[];
/* What to do where there is none. */
extern const char rg_advice[];
/* Its path, NULL when it is not installed. */
const char *rg_find(void);

#endif
