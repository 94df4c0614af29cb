/* SPDX-License-Identifier: MIT */
#include "mcp/dts.h"

#include "tap.h"

static void
writes(const char *tool, const char *want, const char *name)
{
	auto_done(buf) struct buf text = buf_max(KiB(64)), out = buf_max(KiB(64)),
				  whole = buf_max(KiB(64));
	auto_obj(json) struct json *doc = NULL;
	struct err e;

	buf_addf(&text, "[%s]", tool);
	ok(json_parse(buf_str(&text), KiB(64), &doc, &e) == 0, "%s: is JSON", name);
	dts_write(json_root(doc), &out);
	buf_addf(&whole, "declare const tools: {\n%s};\n", want);
	is_str(buf_text(&out), buf_text(&whole), name);
}

#define TOOL(name, more) \
	"{\"name\":\"" name "\",\"state\":\"enabled\",\"description\":\"What.\"," more "}"
#define SCHEMA(properties, required)                                       \
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties \
	"},\"required\":[" required "]}"
#define ONE(schema) TOOL("t", SCHEMA("\"p\":" schema, ""))
#define AS(type) \
	"  /** What. */\n  t(input?: {\n    /**  */\n    p?: " type ";\n  }): Promise<any>;\n"

static void
types(void)
{
	writes(ONE("{\"type\":\"string\"}"), AS("string"), "a string");
	writes(ONE("{\"type\":\"integer\"}"), AS("number"), "a whole number");
	writes(ONE("{\"type\":\"number\"}"), AS("number"), "a number");
	writes(ONE("{\"type\":\"boolean\"}"), AS("boolean"), "a switch");
	writes(ONE("{\"type\":\"object\"}"), AS("object"), "an object");
	writes(ONE("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), AS("string[]"),
	    "texts");
	writes(ONE("{\"type\":\"array\"}"), AS("unknown[]"), "a list of anything");
	writes(ONE("{\"enum\":[\"a\",\"b\\\"c\"]}"), AS("\"a\" | \"b\\\"c\""), "words");
	writes(ONE("{}"), AS("unknown"), "nothing said");
	writes(ONE("{\"type\":[\"string\",\"null\"]}"), AS("unknown"), "several");
	writes(ONE("5"), AS("unknown"), "no schema");
}

static void
names(void)
{
	writes(TOOL("a-b", SCHEMA("", "")),
	    "  /** What. */\n  \"a-b\"(input?: {\n  }): Promise<any>;\n", "no identifier");
	writes(TOOL("1a", SCHEMA("\"x y\":{\"type\":\"string\"}", "\"x y\"")),
	    "  /** What. */\n  \"1a\"(input: {\n    /**  */\n    \"x y\": string;\n  }): "
	    "Promise<any>;\n",
	    "a digit in front, a blank inside");
	writes(TOOL("a\\\"b\\n", SCHEMA("", "")),
	    "  /** What. */\n  \"a\\\"b\\n\"(input?: {\n  }): Promise<any>;\n",
	    "a quote and a line feed");
	writes(TOOL("", SCHEMA("", "")),
	    "  /** What. */\n  \"\"(input?: {\n  }): Promise<any>;\n", "an empty one");
}

static void
comments(void)
{
	writes("{\"name\":\"t\",\"description\":\"a */ b\\n* c **/ \\u001b[2J d\"}",
	    "  /** a * / b * c ** /  [2J d */\n  t(input?: {\n  }): Promise<any>;\n",
	    "nothing ends a comment or leaves its line");
	writes(ONE("{\"type\":\"integer\",\"minimum\":1,\"maximum\":500,\"default\":100,"
		   "\"description\":\"D.\"}"),
	    "  /** What. */\n  t(input?: {\n    /** D. 1..500. Default 100. */\n    p?: "
	    "number;\n  }): Promise<any>;\n",
	    "a range and a default");
	writes(ONE("{\"type\":\"string\",\"default\":\"*/\"}"),
	    "  /** What. */\n  t(input?: {\n    /**  Default \"* /\". */\n    p?: string;\n  "
	    "}): Promise<any>;\n",
	    "a default that would end it");
}

static void
offers(void)
{
	writes("{\"name\":\"t\",\"state\":\"disabled\"}", "", "what is disabled is not there");
	writes("{\"name\":\"t\",\"state\":\"ask\",\"returns\":\"{ a: number }\"}",
	    "  /**  */\n  t(input?: {\n  }): Promise<{ a: number }>;\n", "what it returns");
}

int
main(void)
{
	types();
	names();
	comments();
	offers();
	return tap_done();
}
