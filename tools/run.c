/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka run', which starts a program that then loads Kostka's libraries instead of the original ones. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/options.h"

/* The folders of the libraries, relative to this program's: first as installed, then as in a build folder. */
static const char *const places[] = {"/../" KOSTKA_LIBRARY_FOLDER "/kostka/compat", "/compat"};

/* Find the folder of the libraries, as an absolute path. */
static bool find_folder(char folder[PATH_MAX])
{
    char own[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return false;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", own, places[i]);
        if (realpath(path, folder) != NULL)
            return true;
    }
    return false;
}

/* Put the folder in front of the folders in which libraries are searched for. */
static bool search_first(const char *folder)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *list;
    if (before == NULL || before[0] == '\0')
        return setenv("LD_LIBRARY_PATH", folder, 1) == 0;
    if (asprintf(&list, "%s:%s", folder, before) < 0)
        return false;
    bool fine = setenv("LD_LIBRARY_PATH", list, 1) == 0;
    free(list);
    return fine;
}

/* Return the index of the program's name: the first word that is neither an option nor the value of one. */
static int find_program(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-') {
        const char *word = argv[i++];
        if (strcmp(word, "--") == 0)
            break;
        bool alone = word[1] != '-' || strchr(word, '=') != NULL || strncmp("--help", word, strlen(word)) == 0 ||
                     strncmp("--verbose", word, strlen(word)) == 0;
        i += !alone;
    }
    return i < argc ? i : argc;
}

/* Pass options to the library in the program through the environment, after checking that the device is available. */
static bool set_environment(const struct common_options *common, int *code)
{
    kst_context *context = NULL;
    char threads[16];
    if (common->device != NULL) {
        if ((*code = common_context(common, 1, &context)) != EXIT_FINE)
            return false;
        kst_context_destroy(&context);
        setenv("KOSTKA_DEVICE", common->device, 1);
    }
    snprintf(threads, sizeof threads, "%u", (unsigned)common->threads);
    if (common->threads > 0)
        setenv("KOSTKA_THREADS", threads, 1);
    return true;
}

static bool read_options(int argc, char **argv, struct common_options *common, int *code)
{
    static const int others[] = {OPTION_MAX_PIXELS, OPTION_MAX_MEMORY, OPTION_MAX_WORK, OPTION_VERBOSE};
    struct options_given given;
    const struct option_group groups[] = {common_group(common)};
    if (!options_read(&verb_run, argc, argv, groups, 1, &given, code))
        return false;
    *code = EXIT_USAGE;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!options_refuse("run", &given, others[i], "the program has its own limits and messages"))
            return false;
    return true;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    char folder[PATH_MAX];
    int program = find_program(argc, argv), code;
    if (!read_options(program, argv, &common, &code))
        return code;
    if (program == argc)
        return complain_usage("run", "no program");
    if (!set_environment(&common, &code))
        return code;
    if (!find_folder(folder)) {
        complain(NULL, "the libraries that take the place of others are not installed (lib/kostka/compat)");
        return EXIT_FAILED;
    }
    if (!search_first(folder)) {
        complain(NULL, "the environment has no room");
        return EXIT_FAILED;
    }
    execvp(argv[program], argv + program);
    complain(argv[program], "%s", strerror(errno));
    return EXIT_FAILED;
}

const struct verb verb_run = {
    .name = "run",
    .summary = "start a program that decodes and encodes with Kostka's libraries",
    .run = run,
    .help = "Usage: kostka run [OPTIONS] PROGRAM [ARGUMENT...]\n"
            "\n"
            "Starts a program, unchanged, so that it loads libraries of lib/kostka/compat in place of others:\n"
            "libjpeg.so.62 and libturbojpeg.so.0 in place of libjpeg-turbo's, libopenjp2.so.7 in place of OpenJPEG's.\n"
            "\n"
            "      --device DEVICE  work on cpu, cuda[:N], opencl[:N] or auto; cpu if not said\n"
            "      --threads N      let N threads work on a picture if the program does not say how many; else 1\n"
            "\n"
            "  kostka run opj_decompress -i map.jp2 -o map.png\n"
            "  kostka run --threads 4 pdftoppm -r 300 scan.pdf page\n",
};
