// SPDX-License-Identifier: MIT
/*
 * Stands in for tr46 in the bundle of lazy/url.js. A host name of ASCII letters needs no table: it
 * is lower-cased. Punycode and everything else goes to the real tr46, the unit "idna", which is
 * five times as large as the rest of URL.
 */
const plain = /^[\0-\x7f]*$/;
const punycode = /(?:^|\.)xn--/;

export function toASCII(domain, options) {
	const lower = urlHost.toLowerCase(domain);
	if (
		urlHost.regExpExec(plain, domain) !== null &&
		urlHost.regExpExec(punycode, lower) === null
	) {
		return lower;
	}
	return urlHost.lazy('idna').toASCII(domain, options);
}
