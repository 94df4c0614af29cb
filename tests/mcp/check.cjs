// SPDX-License-Identifier: MIT
/*
 * node check.cjs NODE_MODULES <snippets.json
 *
 * What the typescript package finds wrong in each snippet, all checks on: a JSON list of lists of messages.
 */
'use strict';
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');

const ts = require(resolve(process.argv[2], 'typescript'));
const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, strict: true, noEmit: true, types: [] };
const host = ts.createCompilerHost(options);
const real = host.getSourceFile;
const out = JSON.parse(readFileSync(0, 'utf8')).map((text) => {
	host.getSourceFile = (name, ...rest) => name === 'snippet.ts' ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : real.call(host, name, ...rest);
	const program = ts.createProgram(['snippet.ts'], options, host);
	return ts.getPreEmitDiagnostics(program).map((d) => ts.flattenDiagnosticMessageText(d.messageText, ' '));
});
process.stdout.write(JSON.stringify(out));
