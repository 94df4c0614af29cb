/* BUNDLE */
return tr46;
