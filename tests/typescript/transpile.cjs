// SPDX-License-Identifier: MIT
/*
 * node transpile.cjs NODE_MODULES <snippets.json >javascript.json
 *
 * The same list with the types taken out by the typescript package.
 */
'use strict';
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');

const ts = require(resolve(process.argv[2], 'typescript'));
const options = {
	target: ts.ScriptTarget.ES2022,
	module: ts.ModuleKind.ESNext,
	verbatimModuleSyntax: true,
	isolatedModules: true,
};
const snippets = JSON.parse(readFileSync(0, 'utf8'));
const out = snippets.map((text) => {
	const code = ts.transpileModule(text, { compilerOptions: options }).outputText;
	/* TypeScript marks as a module what has an import or an export. */
	return code.replace(/^export \{ ?\};\s*$/m, '');
});
process.stdout.write(JSON.stringify(out));
