// SPDX-License-Identifier: MIT
/* Stands in for whatwg-url's lib/encoding.js, which would make a TextEncoder and a TextDecoder. */
export const utf8Encode = urlHost.utf8Encode;
export const utf8DecodeWithoutBOM = urlHost.utf8Decode;
