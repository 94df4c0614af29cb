// SPDX-License-Identifier: MIT
/*
 * transform.mjs MODULES: esbuild's own transform of TypeScript, native code asked by node; and sucrase,
 * which is what our compiler is made of, in V8.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { serve } from './order.mjs';

const require = createRequire(join(process.argv[2], 'x.js'));
const esbuild = require('esbuild');
const sucrase = require('sucrase');

function times(transform) {
	return (order, answer) => {
		for (let i = 0; i < order.count; i++) {
			const started = process.hrtime.bigint();

			transform(order.source);
			answer({ ns: Number(process.hrtime.bigint() - started) });
		}
	};
}

await serve({
	esbuild: times((source) => esbuild.transformSync(source, { loader: 'ts', target: 'esnext' })),
	sucrase: times((source) =>
		sucrase.transform(source, { transforms: ['typescript'], disableESTransforms: true }),
	),
});
