/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how command lines of OpenJPEG's programs become those of Kostka's verbs. */
#ifndef KOSTKA_TOOL_OPENJPEG_CALL_H
#define KOSTKA_TOOL_OPENJPEG_CALL_H

#include <stdbool.h>

#include "files/files.h"
#include "tool.h"

/* Holds a command line that is being made, and what the command line that is read has named. */
struct opj_call {
    const struct verb *program; /* the verb whose command line is read */
    char **words;               /* the new command line, beginning with the verb */
    int count;
    const char *input, *output, *folder, *format; /* values of -i, -o, -ImgDir, -OutFor; null: missing */
    const char *area;                             /* -d of opj_decompress */
    const char *resolutions, *precincts;          /* -n and -c of opj_compress */
    unsigned reduce;
    bool target, irreversible, raw, tile, partial, whole_size, split;
    bool cinema; /* the profile demands the irreversible transform */
    bool failed; /* the command line is right, but the input is wrong, or memory ran out */
};

/*
 * Describes an option of OpenJPEG's. At most one of the last three members is set; if all are null, the option asks for
 * what is done anyway.
 */
struct opj_option {
    const char *name; /* without the hyphen */
    bool value;       /* whether the option has a value */
    const char *same; /* the verb's option that takes the same value, or no value */
    bool (*take)(struct opj_call *call, const char *value);
    const char *refusal; /* why Kostka does not support the option, and what to do */
};

/* Append a word to the new command line. @return false after a complaint if memory ran out */
__attribute__((format(printf, 2, 3))) bool opj_add(struct opj_call *call, const char *format, ...);

/* Complain about the value of an option. Always returns false. */
bool opj_refuse_value(const struct opj_call *call, const char *option, const char *value, const char *expected);

/* Read a number of up to nine digits. @return the text behind the number; null: there is none */
const char *opj_number(const char *text, unsigned *number);

/*
 * Read up to `most` numbers, at least one, with commas between them and nothing else. @return their number; 0: other
 * text
 */
unsigned opj_numbers(const char *text, unsigned *number, unsigned most);

/* Take the values of options that both programs have. */
bool opj_take_input(struct opj_call *call, const char *value);
bool opj_take_output(struct opj_call *call, const char *value);
bool opj_take_folder(struct opj_call *call, const char *value);
bool opj_take_format(struct opj_call *call, const char *value);
bool opj_take_threads(struct opj_call *call, const char *value);
bool opj_print_help(struct opj_call *call, const char *value); /* ends the program */

/* Read a command line by a table of options, which ends with an option without a name. Names may be abbreviated. */
bool opj_read(struct opj_call *call, const struct opj_option *options, int argc, char **argv);

/* Return whether a file of -ImgDir is an input, by the format that its name stands for. */
typedef bool opj_is_input(const struct file_format *format);

/* Append the inputs and outputs. @return false after a complaint if any are missing */
bool opj_add_files(struct opj_call *call, const char *format, opj_is_input *is_input);

/* Run the verb if `fine`, and free the command line. */
int opj_run(struct opj_call *call, const struct verb *verb, bool fine);

#endif
