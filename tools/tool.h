/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the verbs of the command line share. */
#ifndef KOSTKA_TOOL_H
#define KOSTKA_TOOL_H

#include <kostka/kostka.h>

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1, /* some inputs failed; compare: the pictures differ */
    EXIT_USAGE = 2,
    EXIT_DEVICE = 3,     /* the requested device is not available */
    EXIT_INTERRUPTED = 4 /* a signal ended the work on many inputs before all were done */
};

struct verb {
    const char *name;
    const char *summary; /* one line */
    const char *help;    /* synopsis and options */
    const char *actions; /* the words for the first operand, separated by |; null: it is something else */
    int (*run)(int argc, char **argv);
};

extern const struct verb verb_decode, verb_encode, verb_transcode, verb_convert, verb_filter, verb_video, verb_volume,
    verb_tiff, verb_info, verb_compare, verb_devices, verb_bench, verb_profile, verb_run, verb_opj_compress,
    verb_opj_decompress;

/* Classifies failures. They are counted by kind. */
enum problem_kind {
    PROBLEM_CONTENT, /* of the input's contents, or of options that do not fit these */
    PROBLEM_READ,
    PROBLEM_LIMIT, /* of pixels, memory or work */
    PROBLEM_NAME,  /* another input has the output's name */
    PROBLEM_WRITE,
    PROBLEM_KINDS
};

/* Holds the reason why something failed: one line of text, without the file's name. */
struct problem {
    char text[4608]; /* room for a path */
    enum problem_kind kind;
};

/* Set the text. Always returns false, so that functions can return its result. */
__attribute__((format(printf, 2, 3))) bool problem_set(struct problem *problem, const char *format, ...);

/* Set the text and a kind other than PROBLEM_CONTENT. */
__attribute__((format(printf, 3, 4))) bool problem_set_kind(
    struct problem *problem, enum problem_kind kind, const char *format, ...);

/*
 * Print a line "kostka: SUBJECT: …" on standard error; `subject` may be null. Lines of several threads do not mix.
 * Control characters, in names for instance, become escapes (plain.h).
 */
__attribute__((format(printf, 2, 3))) void complain(const char *subject, const char *format, ...);

/* Print a message about a mistake in the command line: "kostka VERB: …; see 'kostka help VERB'". Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int complain_usage(const char *verb, const char *format, ...);

double seconds_now(void); /* monotonic */

#endif
