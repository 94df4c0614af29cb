// SPDX-License-Identifier: MIT
/* What lazy/url.js uses of whatwg-url: the state machine, without the Web IDL wrappers. */
export {
	basicURLParse,
	cannotHaveAUsernamePasswordPort,
	hasAnOpaquePath,
	serializeHost,
	serializeInteger,
	serializePath,
	serializeURL,
	serializeURLOrigin,
	setThePassword,
	setTheUsername,
} from 'whatwg-url/lib/url-state-machine.js';
export { parseUrlencodedString, serializeUrlencoded } from 'whatwg-url/lib/urlencoded.js';
