// SPDX-License-Identifier: MIT
/* tr46 with its tables, for host names that are not plain ASCII. */
const { Array, JSON, Math, Number, Object, RangeError, String } = {
	__proto__: null,
	Array: p.Array,
	JSON: { __proto__: null, parse: p.jsonParse },
	Math: p.Math,
	Number: p.Number,
	Object: p.Object,
	RangeError: p.RangeError,
	String: p.String,
};

/* BUNDLE */

return tr46;
