/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the command line: a verb, followed by its options and operands. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "completion/complete.h"
#include "files/output.h"
#include "print/json.h"

static const struct verb *const verbs[] = {&verb_decode, &verb_encode, &verb_transcode, &verb_convert, &verb_filter,
    &verb_video, &verb_volume, &verb_tiff, &verb_info, &verb_compare, &verb_devices, &verb_bench, &verb_profile,
    &verb_run, NULL};

/* Verbs that accept the command lines of other programs. If this program is called by such a name, it runs the verb. */
static const struct verb *const foreign[] = {&verb_opj_compress, &verb_opj_decompress, NULL};

static const struct verb *find_in(const struct verb *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp((*list)->name, name) == 0)
            return *list;
    return NULL;
}

static const struct verb *find_verb(const char *name)
{
    const struct verb *verb = find_in(verbs, name);
    return verb != NULL ? verb : find_in(foreign, name);
}

/* Return the verb whose name this program was called by; null if it was not called by a verb's name. */
static const struct verb *called_as(const char *path)
{
    const char *slash = strrchr(path, '/');
    return find_in(foreign, slash == NULL ? path : slash + 1);
}

static void print_help(FILE *to)
{
    fputs("Usage: kostka VERB [OPTIONS] FILE...\n\n", to);
    for (const struct verb *const *verb = verbs; *verb != NULL; verb++)
        fprintf(to, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
    fputs("\n"
          "  kostka decode photo.jpg photo.ppm\n"
          "  kostka encode photo.png photo.jpg -q 90\n"
          "  kostka transcode --rotate 90 --optimize photo.jpg turned.jpg\n"
          "\n"
          "'kostka help VERB' tells the options of a verb, 'kostka --version' the version.\n"
          "'kostka opj_compress' and 'kostka opj_decompress' take the command lines of OpenJPEG's programs.\n"
          "Environment: KOSTKA_THREADS, KOSTKA_DEVICE, KOSTKA_CPU (c, sse2, avx2, avx512, neon).\n"
          "Exit status: 0 all well, 1 some inputs failed, 2 wrong usage, 3 the device is not available,\n"
          "4 interrupted, can be resumed.\n",
        to);
}

/* Complain about an unknown verb. Users of convert(1) may put a file in its place. */
static int complain_verb(const char *name)
{
    if (access(name, F_OK) == 0) {
        complain(NULL, "'%s' is no verb but a file; 'kostka convert %s OUT' converts it, 'kostka help' lists verbs",
            name, name);
        return EXIT_USAGE;
    }
    complain(NULL, "no verb '%s'; 'kostka help' lists them", name);
    return EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return finish_output(EXIT_FINE);
    }
    const struct verb *verb = find_verb(argv[1]);
    if (verb == NULL)
        return complain_verb(argv[1]);
    fputs(verb->help, stdout);
    return finish_output(EXIT_FINE);
}

int main(int argc, char **argv)
{
    const struct verb *own = argc > 0 ? called_as(argv[0]) : NULL;
    if (own != NULL) {
        output_begin();
        return own->run(argc, argv);
    }
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0) {
        printf("kostka %s\n", kst_version_string());
        return finish_output(EXIT_FINE);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--complete") == 0 && argc > 2)
        return complete(verbs, argv + 2, (size_t)argc - 2);
    const struct verb *verb = find_verb(argv[1]);
    if (verb == NULL)
        return complain_verb(argv[1]);
    output_begin();
    return verb->run(argc - 1, argv + 1);
}
