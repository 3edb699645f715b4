/* SPDX-License-Identifier: BSD-2-Clause */
/* Accepts options as cjpeg, djpeg, jpegtran, opj_compress and opj_decompress spell them. */
#ifndef KOSTKA_TOOL_SPELLINGS_H
#define KOSTKA_TOOL_SPELLINGS_H

#include <getopt.h>
#include <stdbool.h>

/*
 * Rewrite the arguments of a verb in place, before getopt_long() reads them with this table and these letters: -quality
 * 80 becomes --quality 80, and -n 6 of opj_compress becomes --levels=5. *argc may become smaller. If an option is
 * ambiguous or not supported, prints what to write instead and returns false. New strings exist as long as the program
 * runs.
 */
bool spellings_rewrite(const char *verb, int *argc, char **argv, const struct option *table, const char *letters);

#endif
