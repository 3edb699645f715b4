/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the option of the command line that an error of the library is about. */
#include <string.h>

#include "files/files.h"

/*
 * Lists how the library's messages begin, with the options to name. These errors depend on the picture, so
 * options_check() cannot find them.
 */
static const struct {
    const char *detail, *option;
} details[] = {
    {"a component that the picture does not have", "--component"},
    {"a tile that the picture does not have", "--component"},
    {"a tile of its own in a profile", "--component"},
    {"levels, blocks or transform of colours that are transformed differ", "--component without --keep-components"},
    {"the rate cannot be reached", "--rate"},
    {"components 0 to 2 are coded together", "--components"},
    {"components to keep", "--components"},
    {"components that a palette uses", "--components"},
    {"tiles of ", "--reduce"},
    {"tile ", "--tile-parts"},
    {"more tile-parts than TLM has room for", "--tlm"},
    {"more packets than PLT has room for", "--plt"},
    {"more packet headers than PPM or PPT", "--packed"},
    {"packet headers of 4 GiB and more", "--packed"},
    {"too many or too long comments", "--comment"},
    {"a comment of more than 65,531 bytes", "--comment"},
};

bool explain_options(const char *message, struct problem *problem)
{
    const char *text = kst_status_text(KST_ERROR_OPTIONS);
    size_t length = strlen(text);
    bool more = strncmp(message, text, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    const char *detail = more ? message + length + 2 : message;

    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (strncmp(detail, details[i].detail, strlen(details[i].detail)) == 0)
            return problem_set(problem, "%s: %s", details[i].option, detail);
    return problem_set(problem, "%s", detail);
}
