/* SPDX-License-Identifier: BSD-2-Clause */
/* Completes command lines from the tables of verbs and options. */
#include "completion/complete.h"

#include <stdio.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "options/options.h"
#include "print/json.h"

/* Holds the options of a verb, collected from its groups. */
struct known {
    const struct option_entry *entry[OPTIONS_MAX];
    size_t count;
    unsigned targets; /* the kinds of files that the verb makes */
};

static void take(void *user, const struct option_entry *entry)
{
    struct known *known = user;

    if (entry->sources == 0 && entry->targets != 0 && (entry->targets & known->targets) == 0) /* it would be refused */
        return;
    if (known->count < OPTIONS_MAX)
        known->entry[known->count++] = entry;
}

static void offer(const char *prefix, const char *word, size_t length, const char *begun)
{
    size_t before = strlen(prefix), typed = strlen(begun);

    if (typed <= length && strncmp(word, begun, typed) == 0)
        printf("%.*s%.*s\n", (int)before, prefix, (int)length, word);
}

/* Offer devices and, where there may be many inputs, "all" devices, too. */
static void offer_devices(const char *prefix, const char *begun, bool many)
{
    offer(prefix, "auto", 4, begun);
    if (many)
        offer(prefix, "all", 3, begun);
    for (uint32_t i = 0; i < kst_device_count(); i++) {
        kst_device_info info = {.size = sizeof info};
        if (!kst_device_get(i, &info))
            offer(prefix, info.name, strlen(info.name), begun);
    }
}

/* Offer the words of a list like "a|b|N", except N, Nr and I/N, which stand for numbers. */
static void offer_words(const char *prefix, const char *list, const char *begun)
{
    for (const char *word = list; *word != '\0';) {
        size_t length = strcspn(word, "|]");
        bool number = (*word == 'N' && (length == 1 || (length == 2 && word[1] == 'r'))) ||
                      (length == 3 && strncmp(word, "I/N", length) == 0);
        if (!number)
            offer(prefix, word, length, begun);
        word += length + (word[length] != '\0');
    }
}

/* Offer the names of filters as the next filter of a chain. */
static void offer_filters(const char *prefix, const char *begun)
{
    const char *comma = strrchr(begun, ',');
    const size_t before = comma == NULL ? 0 : (size_t)(comma + 1 - begun);
    char chain[256];

    if ((size_t)snprintf(chain, sizeof chain, "%s%.*s", prefix, (int)before, begun) >= sizeof chain)
        return;
    for (uint32_t i = 0; i < kst_filter_count(); i++) {
        kst_filter_info info = {.size = sizeof info};
        if (!kst_filter_get(i, &info))
            offer(chain, info.name, strlen(info.name), begun + before);
    }
}

/* Offer the values of a verb's first operand, unless that is a file. Returns false if it is a file. */
static bool offer_first(const struct verb *verb, const char *begun)
{
    if (verb == &verb_filter)
        offer_filters("", begun);
    else if (verb->actions != NULL)
        offer_words("", verb->actions, begun);
    return verb == &verb_filter || verb->actions != NULL;
}

/* Offer the values of an option. `prefix` stands in front of the value in the same word. */
static void offer_values(const struct option_entry *entry, const char *prefix, const char *begun, bool many)
{
    const char *value = entry->value + (entry->value[0] == '[');

    if (strcmp(value, "FILE") == 0)
        puts(":files");
    else if (strcmp(value, "DIR") == 0)
        puts(":folders");
    else if (strncmp(value, "FILTER", 6) == 0)
        offer_filters(prefix, begun);
    else if (strcmp(value, "DEVICE") == 0)
        offer_devices(prefix, begun, many);
    else if (strchr(value, '|') != NULL)
        offer_words(prefix, value, begun);
}

/* Return the option that a word names: --NAME, --NAME=VALUE or -LETTER; null if it names none. */
static const struct option_entry *find(const struct known *known, const char *word)
{
    size_t length = strcspn(word, "=");

    for (size_t i = 0; i < known->count; i++) {
        const struct option_entry *entry = known->entry[i];
        if (length > 2 && word[0] == '-' && word[1] == '-' && strlen(entry->name) == length - 2 &&
            strncmp(entry->name, word + 2, length - 2) == 0)
            return entry;
        if (word[0] == '-' && word[1] == entry->code && word[2] == '\0')
            return entry;
    }
    return NULL;
}

/* Return whether another spelling of the option comes before this one. */
static bool is_alias(const struct known *known, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (known->entry[i]->code == known->entry[index]->code)
            return true;
    return false;
}

/* Offer options. Alternative spellings are offered only if the word has begun with one. */
static void offer_options(const struct known *known, const char *begun)
{
    size_t typed = strlen(begun) > 2 ? strlen(begun) - 2 : 0, found = 0;

    for (int aliases = 0; aliases < 2 && found == 0; aliases++)
        for (size_t i = 0; i < known->count; i++) {
            const char *name = known->entry[i]->name;
            if (is_alias(known, i) != aliases || strncmp(name, begun + 2, typed) != 0)
                continue;
            printf("--%s\n", name);
            found++;
        }
}

/* Return whether the word is an option that takes the next word as its value. */
static bool wants_value(const struct known *known, const char *word)
{
    const struct option_entry *entry = find(known, word);
    return entry != NULL && entry->value != NULL && entry->value[0] != '[' && strchr(word, '=') == NULL;
}

/* Return the number of operands before the last word; *ended receives whether "--" has ended the options. */
static size_t count_operands(const struct known *known, char **words, size_t count, bool *ended)
{
    size_t operands = 0;

    *ended = false;
    for (size_t i = 1; i + 1 < count; i++) {
        if (!*ended && strcmp(words[i], "--") == 0)
            *ended = true;
        else if (!*ended && wants_value(known, words[i]))
            i++;
        else if (*ended || words[i][0] != '-' || words[i][1] == '\0')
            operands++;
    }
    return operands;
}

static void complete_verb(const struct verb *verb, char **words, size_t count)
{
    char *call[] = {words[0], NULL};
    const char *last = words[count - 1], *value = strchr(last, '=');
    bool codes = verb == &verb_encode || verb == &verb_transcode, ended;
    struct known known = {.targets = codes ? KIND_CODED : KIND_ANY};

    options_listen(take, &known);
    verb->run(1, call);
    bool many = find(&known, "--out-dir") != NULL;
    size_t operands = count_operands(&known, words, count, &ended);
    if (!ended && count > 2 && wants_value(&known, words[count - 2])) {
        offer_values(find(&known, words[count - 2]), "", last, many);
    } else if (!ended && last[0] == '-' && value != NULL) {
        const struct option_entry *entry = find(&known, last);
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%.*s", (int)(value + 1 - last), last);
        if (entry != NULL && entry->value != NULL)
            offer_values(entry, prefix, value + 1, many);
    } else if (!ended && last[0] == '-') {
        offer_options(&known, last);
    } else if (verb != &verb_devices && (operands > 0 || !offer_first(verb, last))) {
        puts(":files");
    }
}

int complete(const struct verb *const *verbs, char **words, size_t count)
{
    bool helps = count == 2 && strcmp(words[0], "help") == 0;

    if (count == 1 || helps) {
        for (const struct verb *const *verb = verbs; *verb != NULL; verb++)
            offer("", (*verb)->name, strlen((*verb)->name), words[count - 1]);
        if (!helps)
            offer_words("", "help|--help|--version", words[0]);
    }
    for (const struct verb *const *verb = verbs; count > 1 && *verb != NULL; verb++)
        if (strcmp((*verb)->name, words[0]) == 0)
            complete_verb(*verb, words, count);
    return finish_output(EXIT_FINE);
}
