/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads chains of filters: names, and values by their place or their parameter's name. */
#include "filters/parse.h"

#include <stdio.h>
#include <string.h>

enum { THOUSAND = 1000, BILLION = 1000000000, SIDE_MAX = INT32_MAX, WHOLE_MAX = 1 << 23 };

/* Describes a piece of the chain. */
struct filter_text {
    const char *begin;
    size_t length;
};

/* Holds the state of reading a step. */
struct filter_reading {
    const char *chain;
    struct filter_step *step;
    bool given[FILTER_PARAMETERS_MAX];
    char *reason;
    size_t *offset;
};

static int shown(struct filter_text text) /* the number of characters that a message quotes */
{
    return text.length < 40 ? (int)text.length : 40;
}

static bool equals(struct filter_text text, const char *name)
{
    return strlen(name) == text.length && memcmp(text.begin, name, text.length) == 0;
}

/* Cut the text before the first separator off the rest, and return it. */
static struct filter_text cut(struct filter_text *rest, const char *separators)
{
    size_t length = 0;
    while (length < rest->length && !strchr(separators, rest->begin[length]))
        length++;
    struct filter_text piece = {rest->begin, length};
    rest->begin += length;
    rest->length -= length;
    return piece;
}

static bool take(struct filter_text *rest, char wanted)
{
    if (rest->length == 0 || *rest->begin != wanted)
        return false;
    rest->begin++;
    rest->length--;
    return true;
}

/* Note the place of an error, whose reason has been written. Returns false. */
static bool fail(const struct filter_reading *reading, const char *at)
{
    *reading->offset = (size_t)(at - reading->chain);
    return false;
}

/* Read digits, up to `most`. Returns false if there are none, or if the number is larger. */
static bool read_digits(struct filter_text *rest, int64_t most, int64_t *number)
{
    size_t before = rest->length;
    *number = 0;
    while (rest->length > 0 && *rest->begin >= '0' && *rest->begin <= '9') {
        *number = *number * 10 + (*rest->begin - '0');
        if (*number > most)
            return false;
        rest->begin++;
        rest->length--;
    }
    return rest->length < before;
}

/* Return the number of parts of 1 in which a type of number is counted. */
static int64_t parts_of(kst_filter_type type)
{
    return type == KST_FILTER_DECIMAL ? THOUSAND : type == KST_FILTER_REAL ? BILLION : 1;
}

/* Read a number, in units of 1 ÷ `parts`. */
static bool read_number(struct filter_text text, int64_t parts, int64_t *number)
{
    bool negative = take(&text, '-');
    if (!read_digits(&text, parts == BILLION ? WHOLE_MAX : INT32_MAX / THOUSAND, number))
        return false;
    *number *= parts;
    if (parts > 1 && take(&text, '.')) {
        int64_t unit = parts / 10;
        for (; unit > 0 && text.length > 0 && *text.begin >= '0' && *text.begin <= '9'; unit /= 10) {
            *number += unit * (*text.begin++ - '0');
            text.length--;
        }
    }
    *number = negative ? -*number : *number;
    return text.length == 0;
}

static bool set_number(
    const kst_filter_parameter *parameter, struct filter_text text, struct filter_value *value, char *reason)
{
    const char *digits = parameter->type == KST_FILTER_DECIMAL ? " with up to three digits behind the point"
                         : parameter->type == KST_FILTER_REAL  ? " with up to nine digits behind the point"
                                                               : "";
    double unit = (double)parts_of(parameter->type);
    int64_t number;
    if (read_number(text, parts_of(parameter->type), &number) && (double)number >= parameter->least * unit &&
        (double)number <= parameter->greatest * unit) {
        value->number = parameter->type == KST_FILTER_REAL ? 0 : (int32_t)number;
        value->real = number;
        return true;
    }
    snprintf(reason, FILTER_REASON, "%s is a number from %g to %g%s, not '%.*s'", parameter->name, parameter->least,
        parameter->greatest, digits, shown(text), text.begin);
    return false;
}

static bool set_word(
    const kst_filter_parameter *parameter, struct filter_text text, struct filter_value *value, char *reason)
{
    struct filter_text words = {parameter->words, strlen(parameter->words)};
    for (value->number = 0; words.length > 0; value->number++) {
        struct filter_text word = cut(&words, "|");
        if (word.length == text.length && memcmp(word.begin, text.begin, text.length) == 0)
            return true;
        take(&words, '|');
    }
    snprintf(reason, FILTER_REASON, "%s is %s, not '%.*s'", parameter->name, parameter->words, shown(text), text.begin);
    return false;
}

static bool set_size(
    const kst_filter_parameter *parameter, struct filter_text text, struct filter_value *value, char *reason)
{
    struct filter_text rest = text;
    int64_t width = 0, height = 0;
    bool wide = read_digits(&rest, SIDE_MAX, &width);
    bool high = take(&rest, 'x') && read_digits(&rest, SIDE_MAX, &height);
    if (rest.length == 0 && (wide || high) && (!wide || width > 0) && (!high || height > 0)) {
        *value = (struct filter_value){.number = (int32_t)width, .height = (int32_t)height};
        return true;
    }
    snprintf(reason, FILTER_REASON, "%s is WIDTHxHEIGHT, WIDTHx or xHEIGHT in pixels, not '%.*s'", parameter->name,
        shown(text), text.begin);
    return false;
}

static bool set_file(
    const kst_filter_parameter *parameter, struct filter_text text, struct filter_value *value, char *reason)
{
    value->text = text.begin;
    value->length = text.length;
    if (text.length > 0)
        return true;
    snprintf(reason, FILTER_REASON, "%s is the path of a file", parameter->name);
    return false;
}

static bool set_value(const struct filter_reading *reading, uint32_t index, struct filter_text text)
{
    const kst_filter_parameter *parameter = &reading->step->kind->parameter[index];
    struct filter_value *value = &reading->step->value[index];
    bool good = parameter->type == KST_FILTER_WORD   ? set_word(parameter, text, value, reading->reason)
                : parameter->type == KST_FILTER_SIZE ? set_size(parameter, text, value, reading->reason)
                : parameter->type == KST_FILTER_FILE ? set_file(parameter, text, value, reading->reason)
                                                     : set_number(parameter, text, value, reading->reason);
    return good || fail(reading, text.begin);
}

/* Return the index of the parameter of a name; the number of parameters if there is none. */
static uint32_t find_parameter(const struct filter_kind *kind, struct filter_text name)
{
    uint32_t index = 0, count = kst_filter_parameter_count(kind);
    while (index < count && !equals(name, kind->parameter[index].name))
        index++;
    return index;
}

/* Read a value of the parameter at `place`, or of the parameter that the text names. */
static bool read_value(struct filter_reading *reading, struct filter_text text, uint32_t place, bool *named)
{
    const struct filter_kind *kind = reading->step->kind;
    struct filter_text value = text, name = cut(&value, "=");
    if (take(&value, '=')) {
        *named = true;
        place = find_parameter(kind, name);
    } else {
        value = text;
    }
    const char *wrong = NULL;
    if (place >= kst_filter_parameter_count(kind))
        wrong = *named ? "no such parameter" : "there are more values than parameters";
    else if (*named && value.begin == text.begin)
        wrong = "behind a parameter that is named, all are";
    else if (reading->given[place])
        wrong = "the parameter is there twice";
    if (wrong) {
        snprintf(reading->reason, FILTER_REASON, "%s: '%.*s': %s", kind->name, shown(text), text.begin, wrong);
        return fail(reading, text.begin);
    }
    reading->given[place] = true;
    return set_value(reading, place, value);
}

static bool read_values(struct filter_reading *reading, struct filter_text text)
{
    bool named = false;
    for (uint32_t place = 0;; place++) {
        struct filter_text value = cut(&text, ":");
        if (!read_value(reading, value, place, &named))
            return false;
        if (!take(&text, ':'))
            return true;
    }
}

/* Set the parameters that have no value to their usual one. */
static bool fill_in(const struct filter_reading *reading, const char *at)
{
    const struct filter_kind *kind = reading->step->kind;
    for (uint32_t i = 0; i < kst_filter_parameter_count(kind); i++) {
        const kst_filter_parameter *parameter = &kind->parameter[i];
        if (reading->given[i])
            continue;
        if (parameter->required) {
            snprintf(
                reading->reason, FILTER_REASON, "%s needs %s, %s", kind->name, parameter->name, parameter->summary);
            return fail(reading, at);
        }
        int64_t number = (int64_t)(parameter->usual * (double)parts_of(parameter->type));
        reading->step->value[i].real = number;
        reading->step->value[i].number = parameter->type == KST_FILTER_REAL ? 0 : (int32_t)number;
    }
    return !kind->check || kind->check(reading->step->value, reading->reason) || fail(reading, at);
}

static const struct filter_kind *find_kind(struct filter_text name)
{
    uint32_t count;
    const struct filter_kind *const *kinds = kst_filter_kinds(&count);
    for (uint32_t i = 0; i < count; i++)
        if (equals(name, kinds[i]->name))
            return kinds[i];
    return NULL;
}

static bool read_step(struct filter_reading *reading, struct filter_text text)
{
    struct filter_text name = cut(&text, "=");
    const char *begin = name.begin;
    *reading->step = (struct filter_step){.kind = find_kind(name)};
    if (!reading->step->kind) {
        snprintf(reading->reason, FILTER_REASON, "there is no filter '%.*s'", shown(name), name.begin);
        return fail(reading, begin);
    }
    return (!take(&text, '=') || read_values(reading, text)) && fill_in(reading, begin);
}

kst_status kst_filter_parse(
    const char *chain, struct filter_step *step, uint32_t *count, char reason[FILTER_REASON], size_t *offset)
{
    struct filter_text rest = {chain, strlen(chain)};
    *count = 0;
    do {
        struct filter_text text = cut(&rest, ",");
        struct filter_reading reading = {.chain = chain, .step = &step[*count], .reason = reason, .offset = offset};
        if (*count == FILTER_STEPS_MAX) {
            snprintf(reason, FILTER_REASON, "there are more than %d filters", FILTER_STEPS_MAX);
            fail(&reading, text.begin);
            return KST_ERROR_OPTIONS;
        }
        if (!read_step(&reading, text))
            return KST_ERROR_OPTIONS;
        ++*count;
    } while (take(&rest, ','));
    return KST_OK;
}
