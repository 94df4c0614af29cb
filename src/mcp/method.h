/* SPDX-License-Identifier: MIT */
/* What a client may ask for: one function a method. Each answers, or leaves the request in flight. */
#ifndef MCP_METHOD_H
#define MCP_METHOD_H

#include "mcp/server.h"

/* params is the request's, an object or NULL. */
typedef void method_fn(struct request *r, const struct yyjson_val *params);

#define METHOD(name, fn, when) method_fn method_##fn;
#include "mcp/method.def"
#undef METHOD

/* Whether the parameter of that name is a string of at most so many bytes; else the request has failed. */
bool method_text(struct request *r, const struct yyjson_val *params, const char *name,
    size_t most, struct str *ret_text);
/* Whether one more may stay in flight; else the request has failed. Before it is given to the broker. */
bool method_room(struct request *r);
/* Lists come whole, so there is no cursor that could be given; false when the request has failed. */
bool method_whole(struct request *r, const struct yyjson_val *params);

#endif
