// SPDX-License-Identifier: MIT
/*
 * progress(): what a long script says of itself. The host shows as much of it as is of use; a script
 * may call it in its innermost loop.
 */
const PROGRESS_NOTE_MAX = 200;

function progressWrong(what, value) {
	const got = typeof value === 'number' ? value : value === null ? 'null' : typeof value;
	return new p.TypeError('progress: ' + what + ', got ' + got);
}

function progressNumber(key, value) {
	if (typeof value !== 'number' || !(value >= 0 && value < Infinity)) {
		throw progressWrong(key + ' must be a finite number of at least 0', value);
	}
	return '"' + key + '":' + value;
}

/* At most PROGRESS_NOTE_MAX code points. */
function progressNote(note) {
	if (typeof note !== 'string') {
		throw progressWrong('note must be a string', note);
	}
	if (note.length > PROGRESS_NOTE_MAX) {
		let at = 0;
		let room = 0;
		for (let points = 0; points < PROGRESS_NOTE_MAX && at < note.length; points++) {
			room = at;
			at += p.codePointAt(note, at) > 0xffff ? 2 : 1;
		}
		note = at < note.length ? stringSlice(note, 0, room) + '…' : note;
	}
	return '"note":' + quote(toWellFormed(note));
}

function progressJson(report) {
	if (typeof report === 'string') {
		return progressNote(report);
	}
	if (typeof report !== 'object' || report === null) {
		throw progressWrong('give {completed, total, note} or a note', report);
	}
	const { completed, total, note } = report;
	let json = completed === undefined ? '' : progressNumber('completed', completed);
	if (total !== undefined) {
		json += (json === '' ? '' : ',') + progressNumber('total', total);
	}
	if (note !== undefined) {
		json += (json === '' ? '' : ',') + progressNote(note);
	}
	if (json === '') {
		throw progressWrong('completed, total or note is missing', report);
	}
	return json;
}

{
	const { progress } = {
		progress(report) {
			host.progress('{' + progressJson(report) + '}');
		},
	};
	defineShown(globalThis, 'progress', progress);
}
