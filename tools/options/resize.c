/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options that resize and filter pictures. */
#include <stdio.h>
#include <string.h>

#include "files/filter.h"
#include "options/options.h"

/* Read WxH, W or xH; a side that is missing is 0. */
static bool set_size(const char *verb, const char *value, kst_resize_options *options)
{
    char width[16] = "", height[16] = "", rest = '\0';
    size_t digits = strspn(value, "0123456789"), behind = value[digits] == 'x' ? digits + 1 : digits;
    size_t more = strspn(value + behind, "0123456789");

    rest = value[behind + more];
    if (rest == '\0' && digits + more > 0 && (behind == digits || more > 0) && digits < sizeof width &&
        more < sizeof height) {
        memcpy(width, value, digits);
        memcpy(height, value + behind, more);
        return (digits == 0 || value_count(verb, "--resize", width, 1, INT32_MAX, &options->width)) &&
               (more == 0 || value_count(verb, "--resize", height, 1, INT32_MAX, &options->height));
    }
    complain_usage(verb, "--resize takes WIDTHxHEIGHT, WIDTH or xHEIGHT in pixels, such as 640x480, not '%s'", value);
    return false;
}

/* Find a word in a list that ends with null. */
static bool set_word(const char *verb, const char *option, const char *value, const char *const *words, int *index)
{
    char list[96]; /* room for all words */
    size_t used = 0;

    for (*index = 0; words[*index] != NULL; ++*index)
        if (strcmp(words[*index], value) == 0)
            return true;
    for (*index = 0; words[*index] != NULL; ++*index)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", words[*index]);
    complain_usage(verb, "'%s' is no value of %s, which are %s", value, option, list);
    return false;
}

static bool set_fit(const char *verb, const char *value, kst_resize_fit *fit)
{
    static const char *const words[] = {"exact", "inside", "cover", NULL};
    int index;

    if (!set_word(verb, "--fit", value, words, &index))
        return false;
    *fit = (kst_resize_fit)index;
    return true;
}

static bool set_filter(const char *verb, const char *value, kst_resize_filter *filter)
{
    static const char *const words[] = {"bicubic", "box", "bilinear", "hamming", "lanczos", NULL};
    int index;

    if (strpbrk(value, "=,") != NULL) {
        complain_usage(verb,
            "'%s' is no value of --filter, which says how --resize weighs pixels; a chain of filters goes to --filters",
            value);
        return false;
    }
    if (!set_word(verb, "--filter", value, words, &index))
        return false;
    *filter = (kst_resize_filter)index;
    return true;
}

static bool handle(const char *verb, void *settings, int code, const char *value)
{
    struct resize_settings *resize = settings;

    switch (code) {
    case OPTION_RESIZE:
        resize->options.width = resize->options.height = 0;
        return set_size(verb, value, &resize->options);
    case OPTION_FIT:
        return set_fit(verb, value, &resize->options.fit);
    case OPTION_FILTER:
        return set_filter(verb, value, &resize->options.filter);
    case OPTION_FILTERS:
        resize->filters = value;
        return filters_check(verb, value, strcmp(verb, "convert") == 0);
    default:
        resize->draft = true;
        return true;
    }
}

struct option_group resize_group(struct resize_settings *settings)
{
    static const struct option_entry table[] = {{"resize", "WxH", OPTION_RESIZE, 0, 0},
        {"fit", "exact|inside|cover", OPTION_FIT, 0, 0},
        {"filter", "box|bilinear|hamming|bicubic|lanczos", OPTION_FILTER, 0, 0},
        {"filters", "FILTER,...", OPTION_FILTERS, 0, 0}, {"draft", NULL, OPTION_DRAFT, 0, KIND_CODED},
        {NULL, NULL, 0, 0, 0}};

    kst_resize_options_init(&settings->options);
    return (struct option_group){table, handle, settings};
}
