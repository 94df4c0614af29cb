/* SPDX-License-Identifier: MIT */
/*
 * Every maximum of the channels between processes, in one place. Bytes unless named otherwise.
 */
#ifndef IPC_LIMITS_H
#define IPC_LIMITS_H

#include "base/base.h"

#define FRAME_HEADER 8
#define FRAME_BODY_MAX \
	(KiB(64) - FRAME_HEADER) /* a larger body travels as pieces or sealed memory */
#define FRAME_FDS_MAX    2       /* descriptors one message may carry */
#define PEER_FDS_MAX     8       /* received and not yet claimed */
#define PEER_QUEUE_MAX   MiB(48) /* written and not yet taken by the other side */

#define SOURCE_MAX       MiB(4)   /* a script */
#define ARGS_MAX         KiB(64)  /* its args, as JSON */
#define STDIN_MAX        MiB(4)   /* its args.stdin */
#define VALUE_MAX        MiB(8)   /* its value, as JSON; more is cut where it is made */
#define TEXT_LINE_MAX    KiB(256) /* one piece of its text output */
#define TEXT_MAX         MiB(1)   /* all of it */
#define ERROR_MAX        KiB(64)  /* its error, as JSON */
#define NOTES_MAX        KiB(64)  /* what its value lost, as JSON */
#define STATE_MAX        MiB(8)   /* the state that a session's scripts share, as JSON */
#define CALL_NAME_MAX    1024     /* the name of a tool */
#define CALL_INPUT_MAX   MiB(4)   /* a call's input, as JSON */
#define CALL_OUTPUT_MAX  MiB(4)   /* its result or error, as JSON */
#define PROGRESS_MAX     KiB(4)   /* one report of progress, as JSON */
#define EVENT_MAX        KiB(12)  /* one event of a run, as JSON */
#define ANSWER_MAX       MiB(16)  /* the answer to a question, as JSON */
#define QUESTION_MAX     MiB(1)   /* what a person is asked, as JSON, without the input */
#define FOLDERS_MAX      KiB(120) /* the declared folders, a line each */
#define SESSION_NAME_MAX 64       /* a session's name */
#define NAME_MAX_BYTES   KiB(4)   /* names, paths, versions */
#define CONFIG_MAX       KiB(256) /* one configuration file */
#define REPORT_MAX       KiB(8)   /* what a process says it gave up */
#define ENVELOPE_MAX     MiB(16)  /* a run's result as a client gets it */

#endif
