// SPDX-License-Identifier: MIT
/*
 * node build.mjs NODE_MODULES_DIR OUT_FILE
 * node build.mjs --strip NODE_MODULES_DIR OUT_FILE
 *
 * Writes the prelude as one script: `(function (host) { ... })`. It holds the files of prelude/ in
 * the order of their names, after a table LAZY with the source of each lazy unit: every file of
 * lazy/, with its bundle of npm code (bundle/) in front when it has one. With --strip: the compiler
 * of TypeScript (strip/) with the npm code it is made of. Same input, same bytes.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/* Units with npm code: what it is, the name it has in the unit, and what is put in its place. */
const bundles = {
	url: {
		entry: join(here, 'bundle/url-machine.js'),
		name: 'urlMachine',
		instead: { tr46: 'bundle/url-tr46.js', './encoding': 'bundle/url-encoding.js' },
	},
	idna: { entry: 'tr46', name: 'tr46', instead: {} },
};

/* A JSON file as text that is parsed when it is used; ASCII, for which the engine needs a byte. */
function jsonModule(path) {
	const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))).replace(
		/[^\0-\x7f]/g,
		(unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'),
	);
	return 'module.exports = JSON.parse(' + JSON.stringify(text) + ')';
}

/* esbuild plug-in: other files for some imports. */
function substitutions(instead) {
	return {
		name: 'substitutions',
		setup(build) {
			build.onResolve({ filter: /./ }, (args) =>
				Object.hasOwn(instead, args.path)
					? { path: join(here, instead[args.path]) }
					: undefined,
			);
			build.onLoad({ filter: /\.json$/ }, (args) => ({
				contents: jsonModule(args.path),
				loader: 'js',
			}));
		},
	};
}

async function bundle(esbuild, modules, { entry, name, instead }, plugins = []) {
	const result = await esbuild.build({
		entryPoints: [entry],
		bundle: true,
		write: false,
		format: 'iife',
		globalName: name,
		target: 'es2022',
		platform: 'neutral',
		mainFields: ['main'],
		minify: true,
		charset: 'ascii',
		legalComments: 'none',
		nodePaths: [modules],
		absWorkingDir: here,
		logLevel: 'error',
		plugins: [...plugins, substitutions(instead)],
	});
	return result.outputFiles[0].text;
}

function sources(folder) {
	return readdirSync(join(here, folder))
		.filter((name) => name.endsWith('.js'))
		.sort()
		.map((name) => [name.slice(0, -3), readFileSync(join(here, folder, name), 'utf8')]);
}

/* The whole prelude as text; NODE_MODULES_DIR has what package-lock.json pins. */
export async function build(modulesDir) {
	const modules = resolve(modulesDir);
	const esbuild = createRequire(join(modules, 'x.js'))('esbuild');
	let lazy = '';
	for (const [name, text] of sources('lazy')) {
		let body = text;
		if (Object.hasOwn(bundles, name)) {
			const code = await bundle(esbuild, modules, bundles[name]);
			body = text.replace('/* BUNDLE */', () => code);
		}
		lazy +=
			`\t${JSON.stringify(name)}: ` +
			JSON.stringify(`(function (p) {\n'use strict';\n${body}})`) +
			',\n';
	}
	const prelude = sources('prelude')
		.map(([, text]) => text)
		.join('\n');
	return (
		`(function (host) {\n'use strict';\nconst LAZY = {\n\t__proto__: null,\n${lazy}};\n\n` +
		`${prelude}})`
	);
}

/* esbuild plug-in: what of sucrase only other options use is left out. */
const unused = {
	name: 'unused',
	setup(build) {
		const filter =
			/\/(?:CJSImportProcessor|CJSImportTransformer|FlowTransformer|JestHoistTransformer|ReactDisplayNameTransformer|ReactHotLoaderTransformer)$/;
		build.onResolve({ filter: /^sucrase\/dist\// }, ({ path }) => ({
			path: join(build.initialOptions.nodePaths[0], path),
		}));
		build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }));
		build.onLoad({ filter: /./, namespace: 'unused' }, () => ({
			contents: 'export default class {}',
		}));
	},
};

/* The compiler of TypeScript as text, a function of `host` like the prelude. */
export async function buildStrip(modulesDir) {
	const modules = resolve(modulesDir);
	const esbuild = createRequire(join(modules, 'x.js'))('esbuild');
	const code = await bundle(
		esbuild,
		modules,
		{ entry: join(here, 'strip/strip.js'), name: 'strip', instead: {} },
		[unused],
	);
	return `(function (host) {\n'use strict';\n${code}return strip.entry(host)})`;
}

const args = process.argv.slice(2);
if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
	const make = args[0] === '--strip' ? buildStrip : build;
	const [modules, out] = make === build ? args : args.slice(1);
	if (out === undefined) {
		console.error('usage: node build.mjs [--strip] NODE_MODULES_DIR OUT_FILE');
		process.exit(2);
	}
	writeFileSync(out, await make(modules));
}
