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
const texts = new Map(JSON.parse(readFileSync(0, 'utf8')).map((text, i) => [`snippet${i}.ts`, text]));
host.getSourceFile = (name, ...rest) => texts.has(name) ? ts.createSourceFile(name, texts.get(name), ts.ScriptTarget.ES2022) : real.call(host, name, ...rest);
const program = ts.createProgram([...texts.keys()], options, host);
const out = [...texts.keys()].map((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name))
	.map((d) => ts.flattenDiagnosticMessageText(d.messageText, ' ')));
process.stdout.write(JSON.stringify(out));
