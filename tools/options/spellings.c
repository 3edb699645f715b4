/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates options of other programs to Kostka's options, by tables. */
#include "options/spellings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { TEXT_MAX = 160 };

/* Converts another program's value to Kostka's. Returns false if it is invalid. */
typedef bool (*value_converter)(const char *value, char text[TEXT_MAX]);

/* Convert a number of resolutions (-n) to levels, which are one less. */
static bool to_levels(const char *value, char text[TEXT_MAX])
{
    char *end;
    unsigned long count = strtoul(value, &end, 10);

    if (!isdigit((unsigned char)*value) || *end != '\0' || count < 1 || count > 33)
        return false;
    snprintf(text, TEXT_MAX, "%lu", count - 1);
    return true;
}

/* Read up to nine digits behind the character `before` (0: none), and move *text behind the digits. */
static bool take_number(const char **text, char before, unsigned *number)
{
    const char *from = *text + (before != '\0');
    char *end;

    if ((before != '\0' && **text != before) || !isdigit((unsigned char)*from))
        return false;
    *number = (unsigned)strtoul(from, &end, 10);
    *text = end;
    return end - from <= 9;
}

/* Convert "64,64". */
static bool to_size(const char *value, char text[TEXT_MAX])
{
    unsigned width, height;

    if (!take_number(&value, '\0', &width) || !take_number(&value, ',', &height) || *value != '\0')
        return false;
    snprintf(text, TEXT_MAX, "%ux%u", width, height);
    return true;
}

/* Convert "[256,256],[128,128]". */
static bool to_sizes(const char *value, char text[TEXT_MAX])
{
    unsigned width, height;
    size_t length = 0;

    while (length + 24 < TEXT_MAX && take_number(&value, '[', &width) && take_number(&value, ',', &height) &&
           *value == ']') {
        value++;
        length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s%ux%u", length > 0 ? "," : "", width, height);
        if (*value == '\0')
            return true;
        if (*value++ != ',')
            break;
    }
    return false;
}

/* Convert a sum of 1, 2, 4 … to names of styles. */
static bool to_styles(const char *value, char text[TEXT_MAX])
{
    static const char *const names[] = {"bypass", "reset", "termall", "causal", "predictable", "symbols"};
    char *end;
    unsigned long bits = strtoul(value, &end, 10);
    size_t length = 0;

    if (!isdigit((unsigned char)*value) || *end != '\0' || bits < 1 || bits > 63)
        return false;
    for (size_t i = 0; i < 6; i++)
        if ((bits >> i & 1) != 0)
            length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s%s", length > 0 ? "," : "", names[i]);
    return true;
}

static bool to_division(const char *value, char text[TEXT_MAX])
{
    const char *name = strcmp(value, "R") == 0   ? "resolution"
                       : strcmp(value, "L") == 0 ? "layer"
                       : strcmp(value, "C") == 0 ? "component"
                                                 : NULL;

    if (name != NULL)
        snprintf(text, TEXT_MAX, "%s", name);
    return name != NULL;
}

/* Convert "8B", which means 8 MCUs. A number alone means rows, for which --restart has another form. */
static bool to_restart(const char *value, char text[TEXT_MAX])
{
    size_t digits = strspn(value, "0123456789");
    bool blocks =
        digits > 0 && digits < 9 && (value[digits] == 'B' || value[digits] == 'b') && value[digits + 1] == '\0';

    if (digits > 0 && !blocks && strcmp(value, "0") != 0 && value[digits] == '\0')
        return false;
    snprintf(text, TEXT_MAX, "%.*s", blocks ? (int)digits : TEXT_MAX - 1, value);
    return true;
}

static bool to_strip(const char *value, char text[TEXT_MAX])
{
    bool markers = strcmp(value, "comments") == 0;

    snprintf(text, TEXT_MAX, "%s", markers ? "markers" : "all");
    return markers || strcmp(value, "none") == 0;
}

static bool is_all(const char *value, char text[TEXT_MAX])
{
    (void)text;
    return strcmp(value, "all") == 0;
}

static bool is_zero(const char *value, char text[TEXT_MAX])
{
    (void)text;
    return strcmp(value, "0") == 0;
}

static bool is_one(const char *value, char text[TEXT_MAX])
{
    (void)text;
    return strcmp(value, "1") == 0;
}

enum form {
    FORM_SWITCH, /* without a value: it becomes `to` */
    FORM_VALUE,  /* with a value: it becomes to=VALUE, with the converted value */
    FORM_GONE,   /* with a value that the converter checks: it becomes `to`, or nothing */
    FORM_REFUSED /* `to` says what to write instead */
};

struct spelling {
    const char *verbs; /* the first letters of the verbs */
    const char *word;  /* a single letter follows one dash, a word follows one or two */
    enum form form;
    const char *to;
    value_converter convert;
    const char *otherwise; /* the message if the converter refuses; null: the option is read unchanged */
};

static const struct spelling spellings[] = {
    /* options of libjpeg's tools */
    {"detc", "outfile", FORM_VALUE, "--output", NULL, NULL},
    {"et", "grayscale", FORM_SWITCH, "--grey", NULL, NULL},
    {"et", "greyscale", FORM_SWITCH, "--grey", NULL, NULL},
    {"d", "grayscale", FORM_SWITCH, "--format=grey", NULL, NULL},
    {"d", "greyscale", FORM_SWITCH, "--format=grey", NULL, NULL},
    {"d", "rgb", FORM_SWITCH, "--format=rgb", NULL, NULL},
    {"d", "pnm", FORM_SWITCH, "--out-format=pnm", NULL, NULL},
    {"c", "grayscale", FORM_REFUSED, "write --format grey to decode the luminance, or --grey to code it alone", NULL,
        NULL},
    {"ec", "sample", FORM_VALUE, "--subsampling", NULL, NULL},
    {"d", "dct", FORM_VALUE, "--inverse-dct", NULL, NULL},
    {"e", "dct", FORM_VALUE, "--forward-dct", NULL, NULL},
    {"c", "dct", FORM_REFUSED, "write --inverse-dct to decode, or --forward-dct to encode", NULL, NULL},
    {"t", "copy", FORM_VALUE, "--strip", to_strip, NULL},
    {"t", "copy", FORM_GONE, NULL, is_all,
        "it is none, comments or all; --strip and --strip=markers say the first two"},
    {"etc", "prog", FORM_SWITCH, "--progressive", NULL, NULL},
    {"etc", "arithmetic", FORM_REFUSED, "arithmetic coding is not written", NULL, NULL},
    {"ec", "targa", FORM_REFUSED, "Targa is not read", NULL, NULL},
    {"ec", "smooth", FORM_REFUSED, "pictures are not smoothed", NULL, NULL},
    {"d", "nosmooth", FORM_SWITCH, "--upsampling=nearest", NULL, NULL},
    {"d", "no-fancy", FORM_SWITCH, "--upsampling=nearest", NULL, NULL},
    {"d", "fast", FORM_REFUSED, "write --dct fast --upsampling nearest", NULL, NULL},
    {"d", "colors", FORM_REFUSED, "colours are not quantised", NULL, NULL},
    {"d", "onepass", FORM_REFUSED, "colours are not quantised", NULL, NULL},
    {"d", "os2", FORM_REFUSED, "write --out-format bmp: there is one kind", NULL, NULL},
    {"ec", "qslots", FORM_REFUSED, "luminance has the first table and chrominance the second", NULL, NULL},
    {"t", "icc", FORM_REFUSED, "a file keeps its own profile; 'kostka convert' puts another one into it", NULL, NULL},
    {"edtc", "version", FORM_REFUSED, "write kostka --version", NULL, NULL},
    {"d", "bmp", FORM_SWITCH, "--out-format=bmp", NULL, NULL},
    {"d", "gif", FORM_REFUSED, "GIF is not written; a name ending in .png makes a file that all programs read", NULL,
        NULL},
    {"d", "targa", FORM_REFUSED,
        "Targa is not written; a name ending in .png or .tif makes a file that all programs read", NULL, NULL},
    {"t", "wipe", FORM_REFUSED, "nothing is wiped out", NULL, NULL},
    {"t", "drop", FORM_REFUSED, "pictures are not put into others", NULL, NULL},
    {"edtc", "maxmemory", FORM_REFUSED, "write --max-memory BYTES, with K, M or G behind the number", NULL, NULL},
    /* options of OpenJPEG's tools */
    {"ec", "n", FORM_VALUE, "--levels", to_levels, "-n counts resolutions, 1 to 33: one more than --levels"},
    {"ec", "b", FORM_VALUE, "--codeblock", to_size, "write --codeblock 64x64"},
    {"e", "c", FORM_VALUE, "--precincts", to_sizes, "write --precincts 256x256,128x128"},
    {"ec", "t", FORM_VALUE, "--tiles", to_size, NULL},
    {"ec", "p", FORM_VALUE, "--progression", NULL, NULL},
    {"ec", "M", FORM_VALUE, "--style", to_styles, "write --style with names"},
    {"e", "r", FORM_VALUE, "--ratio", NULL, NULL},
    {"d", "r", FORM_VALUE, "--reduce", NULL, NULL},
    {"c", "r", FORM_REFUSED, "write --ratio for the output's size, or --reduce for the input's resolution", NULL, NULL},
    {"dc", "l", FORM_VALUE, "--layers", NULL, NULL},
    {"d", "c", FORM_VALUE, "--components", NULL, NULL},
    {"c", "c", FORM_REFUSED, "write --precincts for the output, or --components for the input", NULL, NULL},
    {"dc", "d", FORM_REFUSED, "write --region X,Y,WIDTH,HEIGHT, in pixels of the reduced picture", NULL, NULL},
    {"ec", "C", FORM_VALUE, "--comment", NULL, NULL},
    {"ec", "F", FORM_REFUSED,
        "write --raw WxHxN:DEPTH --raw-layout planes, with an s behind the depth for signed samples", NULL, NULL},
    {"ec", "I", FORM_REFUSED, "what is not lossless is irreversible; write --rate, --ratio, --psnr or --step", NULL,
        NULL},
    {"ec", "SOP", FORM_SWITCH, "--sop", NULL, NULL},
    {"ec", "EPH", FORM_SWITCH, "--eph", NULL, NULL},
    {"ec", "PLT", FORM_SWITCH, "--plt", NULL, NULL},
    {"ec", "TLM", FORM_SWITCH, "--tlm", NULL, NULL},
    {"ec", "TP", FORM_VALUE, "--tile-parts", to_division, "write --tile-parts resolution, layer or component"},
    {"ec", "mct", FORM_GONE, "--keep-components", is_zero, NULL},
    {"ec", "mct", FORM_GONE, NULL, is_one, "colours are transformed (1) or not (0)"},
    {"ec", "POC", FORM_REFUSED, "write --poc ORDER:R-R:C-C:LAYERS,...", NULL, NULL},
    {"ec", "ROI", FORM_REFUSED, "write --interest WxH+X+Y", NULL, NULL},
    {"ec", "cinema2K", FORM_REFUSED, "write --profile cinema2k --frame-rate N", NULL, NULL},
    {"ec", "cinema4K", FORM_REFUSED, "write --profile cinema4k", NULL, NULL},
    {"ec", "IMF", FORM_REFUSED, "write --profile imf2k, imf4k or imf8k", NULL, NULL},
    {"edc", "ImgDir", FORM_REFUSED, "name the folder as an input, with --out-dir DIR", NULL, NULL},
    {"edc", "OutFor", FORM_REFUSED, "write --out-format FORMAT", NULL, NULL},
    {"d", "force-rgb", FORM_SWITCH, "--format=rgb", NULL, NULL},
    {"d", "split-pnm", FORM_REFUSED, "write --format planar", NULL, NULL},
};

/* Holds the command line that is being rewritten. */
struct rewriting {
    const char *verb;
    const struct option *table;
    const char *letters;
    char **argv;
    int argc, from, to; /* number of arguments, next argument to read, and next one to write */
};

/* Memory for rewritten arguments. Pointers to it stay in argv and in the options' settings. */
static char *made;
static size_t made_length;

static bool complain_spelling(const struct rewriting *call, const char *given, const char *why)
{
    complain_usage(call->verb, "%s: %s", given, why);
    return false;
}

static void put(struct rewriting *call, const char *name, const char *separator, const char *value)
{
    char *text = made + made_length;
    size_t length = strlen(name) + strlen(separator) + strlen(value) + 1;

    snprintf(text, length, "%s%s%s", name, separator, value);
    made_length += length;
    call->argv[call->to++] = text;
}

static void keep(struct rewriting *call)
{
    call->argv[call->to++] = call->argv[call->from++];
}

/* Return the long option of this name, or the only one that begins with it; null if there is none. */
static const struct option *long_option(const struct rewriting *call, const char *name, size_t length)
{
    const struct option *found = NULL;
    bool several = false;

    for (const struct option *option = call->table; option->name != NULL; option++) {
        if (strncmp(option->name, name, length) != 0)
            continue;
        if (option->name[length] == '\0')
            return option;
        several |= found != NULL && found->val != option->val;
        found = option;
    }
    return several ? NULL : found;
}

/* Return whether any option, or several, begin with this name. */
static bool begins_option(const struct rewriting *call, const char *name, size_t length)
{
    for (const struct option *option = call->table; option->name != NULL; option++)
        if (strncmp(option->name, name, length) == 0)
            return true;
    return false;
}

/* Keep a long option, with its value if that is in the next argument. */
static void keep_long(struct rewriting *call, const char *name, size_t length)
{
    const struct option *option = long_option(call, name, length);
    bool one_dash = call->argv[call->from][1] != '-', value = name[length] == '=';

    if (one_dash)
        put(call, "-", "", call->argv[call->from++]);
    else
        keep(call);
    if (option != NULL && option->has_arg == required_argument && !value && call->from < call->argc)
        keep(call);
}

/* Keep a group of letters; the last one may take its value from the next argument. */
static void keep_letters(struct rewriting *call)
{
    const char *letter = call->argv[call->from] + 1, *known = NULL;

    while (*letter != '\0' && *letter != ':' && (known = strchr(call->letters, *letter)) != NULL && known[1] != ':')
        letter++;
    bool value = known != NULL && *letter != '\0' && known[1] == ':' && letter[1] == '\0';
    keep(call);
    if (value && call->from < call->argc)
        keep(call);
}

/*
 * Rewrite one option. `given` is its spelling for messages, `value` what follows "=" or the letter, if anything does.
 * *rewritten becomes false if the option is left unchanged. Returns false after a complaint.
 */
static bool rewrite_one(
    struct rewriting *call, const struct spelling *spelling, const char *given, const char *value, bool *rewritten)
{
    char text[TEXT_MAX] = "";
    bool next = value == NULL && spelling->form != FORM_SWITCH && spelling->form != FORM_REFUSED;

    *rewritten = true;
    if (spelling->form == FORM_REFUSED)
        return complain_spelling(call, given, spelling->to);
    if (spelling->form == FORM_SWITCH) {
        if (value != NULL)
            return complain_spelling(call, given, "takes no value");
        call->from++;
        put(call, spelling->to, "", "");
        return true;
    }
    if (next && call->from + 1 >= call->argc)
        return complain_spelling(call, given, "needs a value");
    if (next)
        value = call->argv[call->from + 1];
    if (spelling->convert != NULL && !spelling->convert(value, text)) {
        *rewritten = spelling->otherwise != NULL;
        return !*rewritten || complain_spelling(call, given, spelling->otherwise);
    }
    call->from += next ? 2 : 1;
    if (spelling->form == FORM_VALUE)
        put(call, spelling->to, "=", spelling->convert != NULL ? text : value);
    else if (spelling->to != NULL)
        put(call, spelling->to, "", "");
    return true;
}

static bool is_for(const struct spelling *spelling, const char *verb)
{
    static const char *const names[] = {"decode", "encode", "transcode", "convert"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], verb) == 0)
            return strchr(spelling->verbs, verb[0]) != NULL;
    return false;
}

/* Rewrite a word or a letter that is in the table, with its value. */
static bool rewrite_known(struct rewriting *call, const char *word, size_t length, bool one_dash, bool *rewritten)
{
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    /* libjpeg's tools accept the beginnings of words; Kostka's own options take precedence */
    const bool shortened = one_dash && length >= 3 && !begins_option(call, word, length);

    *rewritten = false;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings && !*rewritten; i++) {
        const struct spelling *spelling = &spellings[i];
        char given[32];
        bool letter = spelling->word[1] == '\0';
        if (!is_for(spelling, call->verb) || (letter && !one_dash))
            continue;
        bool whole = strncmp(spelling->word, word, length) == 0 && (spelling->word[length] == '\0' || shortened);
        bool attached = letter && !whole && word[0] == spelling->word[0] && !isalpha((unsigned char)word[1]);
        if (!whole && !attached)
            continue;
        snprintf(given, sizeof given, "%s%s", one_dash ? "-" : "--", spelling->word);
        if (!rewrite_one(call, spelling, given, attached ? word + 1 : value, rewritten))
            return false;
    }
    return true;
}

static bool rewrite_next(struct rewriting *call)
{
    const char *argument = call->argv[call->from], *word = argument + 1 + (argument[1] == '-');
    bool one_dash = argument[1] != '-', rewritten;
    size_t length = strcspn(word, "=");

    if (argument[0] != '-' || argument[1] == '\0') {
        keep(call);
        return true;
    }
    if (one_dash && length == 7 && strncmp(word, "restart", 7) == 0 && long_option(call, "restart", 7) != NULL) {
        static const struct spelling restart = {"", "restart", FORM_VALUE, "--restart", to_restart,
            "write --restart Nr for an interval of N rows of MCUs, or --restart N for one of N MCUs"};
        return rewrite_one(call, &restart, "-restart", word[7] == '=' ? word + 8 : NULL, &rewritten);
    }
    if (!rewrite_known(call, word, length, one_dash, &rewritten))
        return false;
    if (rewritten)
        return true;
    if (!one_dash || (length >= 3 && begins_option(call, word, length)))
        keep_long(call, word, length);
    else if (length >= 3 && isalpha((unsigned char)word[1]) && strchr(call->letters, word[0]) == NULL) {
        complain_usage(call->verb, "unknown option %s", argument);
        return false;
    } else
        keep_letters(call);
    return true;
}

static bool make_room(int argc, char **argv)
{
    size_t room = 0;

    for (int i = 1; i < argc; i++)
        room += strlen(argv[i]) + TEXT_MAX + 32;
    free(made);
    made = malloc(room + 1);
    made_length = 0;
    return made != NULL;
}

bool spellings_rewrite(const char *verb, int *argc, char **argv, const struct option *table, const char *letters)
{
    struct rewriting call = {verb, table, letters, argv, *argc, 1, 1};

    if (!make_room(*argc, argv)) {
        complain(NULL, "out of memory");
        return false;
    }
    while (call.from < call.argc && strcmp(argv[call.from], "--") != 0)
        if (!rewrite_next(&call))
            return false;
    while (call.from < call.argc)
        keep(&call);
    *argc = call.to;
    return true;
}
