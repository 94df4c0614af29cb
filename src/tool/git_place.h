/* SPDX-License-Identifier: MIT */
/* Where git is, for who runs it and for who says that it is missing. */
#ifndef TOOL_GIT_PLACE_H
#define TOOL_GIT_PLACE_H

/* Where it is looked for; the first one there is used. */
extern const char *const git_places[];
/* What to do where there is none. */
extern const char git_advice[];
/* Its path, NULL when it is not installed. */
const char *git_find(void);

#endif
