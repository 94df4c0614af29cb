// SPDX-License-Identifier: MIT
/* The Intl object. Its constructors are loaded when first used; what is missing is absent. */
const Intl = {};
const units = {
	__proto__: null,
	Collator: 'intl-collate',
	DateTimeFormat: 'intl-date',
	ListFormat: 'intl-list',
	NumberFormat: 'intl-number',
	PluralRules: 'intl-list',
	RelativeTimeFormat: 'intl-list',
};
const names = p.ownKeys(units);
for (let i = 0; i < names.length; i++) {
	p.defineLazy(Intl, names[i], units[names[i]]);
}

const { getCanonicalLocales } = {
	getCanonicalLocales(locales) {
		return p.lazy('intl-locale').supported(locales);
	},
};
p.defineHidden(Intl, 'getCanonicalLocales', getCanonicalLocales);
p.define(Intl, p.SymbolToStringTag, { __proto__: null, value: 'Intl', configurable: true });

return { __proto__: null, Intl };
