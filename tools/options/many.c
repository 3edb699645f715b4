/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options of calls with many inputs. */
#include "options/options.h"

static bool set_list(const char *verb, const char *value, struct list *list)
{
    if (list->path != NULL) {
        complain_usage(verb, "--files-from names one list, and not %s as well as %s", list->path, value);
        return false;
    }
    list->path = value;
    return true;
}

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    struct many_options *options = settings;

    switch (code) {
    case OPTION_FILES_FROM:
        return set_list(verb, value, &options->list);
    case OPTION_NULL:
        options->list.null = true;
        return true;
    case OPTION_SHARD:
        return shard_read(verb, value, &options->shard);
    case OPTION_FAIL_FAST:
        options->max_failures = 1;
        return true;
    case OPTION_MAX_FAILURES:
        return value_number(verb, "--max-failures", value, 1, UINT32_MAX, &options->max_failures);
    case OPTION_MANIFEST:
        options->manifest = value;
        return true;
    case OPTION_RESUME:
        options->resume = true;
        return true;
    default:
        options->recursive = true;
        return true;
    }
}

struct option_group many_group(struct many_options *options)
{
    static const struct option_entry table[] = {{"recursive", NULL, OPTION_RECURSIVE, 0, 0},
        {"files-from", "FILE", OPTION_FILES_FROM, 0, 0}, {"null", NULL, OPTION_NULL, 0, 0},
        {"shard", "I/N|auto", OPTION_SHARD, 0, 0}, {"manifest", "FILE", OPTION_MANIFEST, 0, 0},
        {"resume", NULL, OPTION_RESUME, 0, 0}, {"fail-fast", NULL, OPTION_FAIL_FAST, 0, 0},
        {"max-failures", "N", OPTION_MAX_FAILURES, 0, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, options};
}
