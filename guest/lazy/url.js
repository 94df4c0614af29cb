const urlHost = p;
/* BUNDLE */
return { __proto__: null };
