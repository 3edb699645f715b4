/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how command lines of OpenJPEG's programs become those of Kostka's verbs. */
#ifndef KOSTKA_TOOL_OPENJPEG_CALL_H
#define KOSTKA_TOOL_OPENJPEG_CALL_H

#include <stdbool.h>

#include "files/files.h"
#include "tool.h"

/* A command line that is being made, and what the one that is read has named. */
struct opj_call {
    const struct verb *program; /* whose command line is read */
    char **words;               /* the new one, beginning with the verb */
    int count;
    const char *input, *output, *folder, *format; /* -i, -o, -ImgDir, -OutFor; null: not there */
    const char *area;                             /* -d of opj_decompress */
    const char *resolutions, *precincts;          /* -n and -c of opj_compress */
    unsigned reduce;
    bool target, irreversible, raw, tile, partial, whole_size, split;
    bool cinema; /* a profile that has the irreversible transform */
    bool failed; /* the command line is right, but the input is not, or there is no memory */
};

/* An option of OpenJPEG's. Exactly one of the last three members is set; all are null where it asks for what is done.
 */
struct opj_option {
    const char *name; /* without the hyphen */
    bool value;       /* it has one */
    const char *same; /* the verb's option with the same value, or without one */
    bool (*take)(struct opj_call *call, const char *value);
    const char *refusal; /* why Kostka does not have it, and what to do */
};

/* Add a word to the new command line, which becomes longer by one. @return false with a complaint if there is no memory
 */
__attribute__((format(printf, 2, 3))) bool opj_add(struct opj_call *call, const char *format, ...);

/* Complain about the value of an option. Always returns false. */
bool opj_refuse_value(const struct opj_call *call, const char *option, const char *value, const char *expected);

/* Read a number of up to nine digits. @return what follows it; null: there is none */
const char *opj_number(const char *text, unsigned *number);

/* Read from one to `most` numbers with commas between them, and nothing else. @return how many; 0: something else */
unsigned opj_numbers(const char *text, unsigned *number, unsigned most);

/* What both programs take. */
bool opj_take_input(struct opj_call *call, const char *value);
bool opj_take_output(struct opj_call *call, const char *value);
bool opj_take_folder(struct opj_call *call, const char *value);
bool opj_take_format(struct opj_call *call, const char *value);
bool opj_take_threads(struct opj_call *call, const char *value);
bool opj_print_help(struct opj_call *call, const char *value); /* which ends the program */

/* Read a command line with the options of a table, which ends with one without a name. Names may be abbreviated. */
bool opj_read(struct opj_call *call, const struct opj_option *options, int argc, char **argv);

/* Return whether a file of -ImgDir is an input, by the format that its name stands for. */
typedef bool opj_is_input(const struct file_format *format);

/* Add the inputs and outputs. @return false with a complaint if they are not complete */
bool opj_add_files(struct opj_call *call, const char *format, opj_is_input *is_input);

/* Run the verb if `fine`, and free the command line. */
int opj_run(struct opj_call *call, const struct verb *verb, bool fine);

#endif
