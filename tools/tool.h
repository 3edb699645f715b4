/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs of the command line share. */
#ifndef KOSTKA_TOOL_H
#define KOSTKA_TOOL_H

#include <kostka/kostka.h>

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1, /* some inputs failed; compare: the pictures differ */
    EXIT_USAGE = 2,
    EXIT_DEVICE = 3 /* the device asked for is not available */
};

struct verb {
    const char *name;
    const char *summary; /* one line */
    const char *help;    /* synopsis and options */
    int (*run)(int argc, char **argv);
};

extern const struct verb verb_decode, verb_encode, verb_transcode, verb_convert, verb_info, verb_compare, verb_devices,
    verb_bench, verb_profile;

/* Why something could not be done: one line for people, without the file's name. */
struct problem {
    char text[4608]; /* room for a path */
};

/* Set the text; always gives false, so that functions can end with it. */
__attribute__((format(printf, 2, 3))) bool problem_set(struct problem *problem, const char *format, ...);

/*
 * One line "kostka: SUBJECT: …" on standard error; `subject` may be null. Lines of several threads do not mix, and what
 * would steer a terminal, in names for instance, becomes an escape (plain.h).
 */
__attribute__((format(printf, 2, 3))) void complain(const char *subject, const char *format, ...);

/* The same for a mistake in the call: "kostka VERB: …; see 'kostka help VERB'". Gives EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int complain_usage(const char *verb, const char *format, ...);

double seconds_now(void); /* monotonic */

#endif
