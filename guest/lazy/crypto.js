return { __proto__: null };
