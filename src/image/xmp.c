/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and changes the directory and the orientation in an XMP packet, without a general XML parser. */
#include "image/xmp.h"

#include <string.h>

enum { DIGITS_MAX = 18 };

static const char item_space[] = "http://ns.google.com/photos/1.0/container/item/";
static const char container_space[] = "http://ns.google.com/photos/1.0/container/";
static const char tiff_space[] = "http://ns.adobe.com/tiff/1.0/";

/*
 * Describes a start tag, an empty-element tag, an end tag, or (TAG_NONE) the end of the packet. Offsets are in the
 * packet.
 */
struct tag {
    enum { TAG_NONE, TAG_START, TAG_EMPTY, TAG_END } kind;
    struct xmp_name name;
    size_t attributes; /* behind the name */
    size_t end;        /* behind '>' */
};

struct attribute {
    struct xmp_name name;
    size_t value, length, end; /* offsets and length of the value; `end` is behind the quote */
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t find(const uint8_t *text, size_t length, size_t from, const char *what)
{
    const size_t size = strlen(what);
    while (from < length && length - from >= size) {
        const uint8_t *hit = memchr(text + from, what[0], length - from - size + 1);
        if (!hit)
            return length;
        from = (size_t)(hit - text);
        if (memcmp(hit, what, size) == 0)
            return from;
        from++;
    }
    return length;
}

/* Return the prefix with which a namespace is declared, as in xmlns:PREFIX="SPACE". */
static struct xmp_name prefix_of(const uint8_t *text, size_t length, const char *space)
{
    const size_t size = strlen(space);
    for (size_t at = 0; (at = find(text, length, at, space)) < length; at += size) {
        bool quoted = at > 0 && at + size < length && (text[at - 1] == '"' || text[at - 1] == '\'') &&
                      text[at + size] == text[at - 1];
        if (!quoted)
            continue;
        size_t end = at - 1;
        while (end > 0 && is_space(text[end - 1]))
            end--;
        if (end == 0 || text[end - 1] != '=')
            continue;
        for (end--; end > 0 && is_space(text[end - 1]);)
            end--;
        size_t from = end;
        while (from > 0 && text[from - 1] != ':' && text[from - 1] != '<' && !is_space(text[from - 1]))
            from--;
        if (from >= 6 && from < end && memcmp(text + from - 6, "xmlns:", 6) == 0)
            return (struct xmp_name){text + from, end - from};
    }
    return (struct xmp_name){NULL, 0};
}

/* Return whether a name is PREFIX:LOCAL. */
static bool is_name(struct xmp_name name, struct xmp_name prefix, const char *local)
{
    const size_t size = strlen(local);
    return prefix.text && name.length == prefix.length + 1 + size &&
           memcmp(name.text, prefix.text, prefix.length) == 0 && name.text[prefix.length] == ':' &&
           memcmp(name.text + prefix.length + 1, local, size) == 0;
}

static bool ends_name(uint8_t c)
{
    return is_space(c) || c == '=' || c == '>' || c == '/' || c == '<' || c == '"' || c == '\'';
}

static struct xmp_name read_name(const uint8_t *text, size_t length, size_t *at)
{
    size_t from = *at;
    while (*at < length && !ends_name(text[*at]))
        ++*at;
    return (struct xmp_name){text + from, *at - from};
}

/*
 * Read the next attribute of a tag from *at on, and move *at behind it. Returns false at the end of the tag, or if the
 * text cannot be understood.
 */
static bool next_attribute(const uint8_t *text, size_t length, size_t *at, struct attribute *attribute)
{
    size_t i = *at;
    while (i < length && is_space(text[i]))
        i++;
    attribute->name = read_name(text, length, &i);
    while (i < length && is_space(text[i]))
        i++;
    if (attribute->name.length == 0 || i >= length || text[i] != '=')
        return false;
    for (i++; i < length && is_space(text[i]);)
        i++;
    if (i >= length || (text[i] != '"' && text[i] != '\''))
        return false;
    const uint8_t *quote = memchr(text + i + 1, text[i], length - i - 1);
    if (!quote)
        return false;
    attribute->value = i + 1;
    attribute->length = (size_t)(quote - text) - attribute->value;
    attribute->end = *at = attribute->value + attribute->length + 1;
    return true;
}

/* Find the next tag from `at` on, skipping comments and processing instructions. */
static struct tag next_tag(const uint8_t *text, size_t length, size_t at)
{
    struct tag tag = {.kind = TAG_NONE};
    struct attribute attribute;
    for (;;) {
        at = find(text, length, at, "<");
        if (length - at < 3)
            return tag;
        if (text[at + 1] != '?' && text[at + 1] != '!')
            break;
        at = find(text, length, at + 2, text[at + 1] == '?' ? "?>" : text[at + 2] == '-' ? "-->" : ">");
    }
    bool end = text[at + 1] == '/';
    at += end ? 2 : 1;
    tag.name = read_name(text, length, &at);
    tag.attributes = at;
    while (!end && next_attribute(text, length, &at, &attribute)) {
    }
    while (at < length && is_space(text[at]))
        at++;
    bool empty = at < length && text[at] == '/';
    at = find(text, length, at, ">");
    if (at == length)
        return tag;
    tag.end = at + 1;
    tag.kind = end ? TAG_END : empty ? TAG_EMPTY : TAG_START;
    return tag;
}

void kst_xmp_begin(struct xmp_reader *reader, const uint8_t *text, size_t length)
{
    *reader = (struct xmp_reader){.text = text,
        .length = length,
        .item = prefix_of(text, length, item_space),
        .container = prefix_of(text, length, container_space)};
}

static bool read_number(const uint8_t *text, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (i >= DIGITS_MAX || text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0;
}

/* Note a property of an item, whose value stands at `at`; `behind` is the end of its attribute or element. */
static void take(
    const struct xmp_reader *r, struct xmp_name name, size_t at, size_t length, size_t behind, struct xmp_item *item)
{
    uint64_t value;
    while (length > 0 && is_space(r->text[at])) {
        at++;
        length--;
    }
    while (length > 0 && is_space(r->text[at + length - 1]))
        length--;
    const uint8_t *text = r->text + at;
    if (is_name(name, r->item, "Length") && read_number(text, length, &value)) {
        item->length = value;
        item->number = at;
        item->digits = length;
        item->behind = behind;
    } else if (is_name(name, r->item, "Padding") && read_number(text, length, &value)) {
        item->padding = value;
    } else if (is_name(name, r->item, "Mime")) {
        item->jpeg = length == 10 && memcmp(text, "image/jpeg", 10) == 0;
    } else if (is_name(name, r->item, "Semantic")) {
        size_t kept = length < XMP_SEMANTIC - 1 ? length : XMP_SEMANTIC - 1;
        memset(item->semantic, 0, XMP_SEMANTIC);
        memcpy(item->semantic, text, kept);
    }
}

static bool is_property(const struct xmp_reader *r, struct xmp_name name)
{
    return r->item.text && name.length > r->item.length && name.text[r->item.length] == ':' &&
           memcmp(name.text, r->item.text, r->item.length) == 0;
}

/* Note the properties of an item that are attributes of a tag. Returns true if there are any. */
static bool take_attributes(const struct xmp_reader *r, const struct tag *tag, struct xmp_item *item)
{
    struct attribute attribute;
    bool any = false;
    for (size_t at = tag->attributes; next_attribute(r->text, r->length, &at, &attribute);)
        if (is_property(r, attribute.name)) {
            take(r, attribute.name, attribute.value, attribute.length, attribute.end, item);
            any = true;
        }
    return any;
}

/* Note a property that is an element of an item, such as <Item:Length>12</Item:Length>. */
static void take_element(const struct xmp_reader *r, const struct tag *tag, struct xmp_item *item)
{
    size_t to = find(r->text, r->length, tag->end, "<");
    struct tag end = next_tag(r->text, r->length, tag->end);
    if (end.kind == TAG_END && end.name.length == tag->name.length &&
        memcmp(end.name.text, tag->name.text, tag->name.length) == 0)
        take(r, tag->name, tag->end, to - tag->end, end.end, item);
}

bool kst_xmp_next(struct xmp_reader *r, struct xmp_item *item)
{
    struct xmp_name open = {NULL, 0}; /* the name of the element that is the item */
    *item = (struct xmp_item){.length = 0};
    if (!r->item.text)
        return false;
    for (struct tag tag; (tag = next_tag(r->text, r->length, r->at)).kind != TAG_NONE;) {
        r->at = tag.end;
        if (tag.kind == TAG_END) {
            if (open.text && open.length == tag.name.length && memcmp(open.text, tag.name.text, open.length) == 0)
                return true;
            continue;
        }
        if (is_name(tag.name, r->container, "Item")) { /* an item that has not ended is dropped */
            *item = (struct xmp_item){.length = 0};
            open = tag.name;
        }
        if (take_attributes(r, &tag, item) && !open.text)
            open = tag.name;
        if (tag.kind == TAG_EMPTY && open.text == tag.name.text)
            return true;
        if (tag.kind == TAG_START && open.text && is_property(r, tag.name))
            take_element(r, &tag, item);
    }
    return false;
}

static size_t print_number(uint64_t value, uint8_t digits[20])
{
    size_t count = 0;
    uint8_t reversed[20];
    do {
        reversed[count++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    return count;
}

struct text_sink {
    uint8_t *out; /* null: the length is only measured */
    size_t length;
};

static void append(struct text_sink *to, const uint8_t *text, size_t length)
{
    if (to->out && length > 0)
        memcpy(to->out + to->length, text, length);
    to->length += length;
}

size_t kst_xmp_mend(const uint8_t *text, size_t text_length, const uint64_t *length, size_t count, uint8_t *out)
{
    struct xmp_reader reader;
    struct xmp_item item;
    struct text_sink to = {.out = out};
    size_t done = 0;
    kst_xmp_begin(&reader, text, text_length);
    for (size_t i = 0; i < count && kst_xmp_next(&reader, &item); i++) {
        uint8_t digits[20];
        if (length[i] == UINT64_MAX || item.digits == 0 || item.number < done)
            continue;
        size_t written = print_number(length[i], digits);
        size_t field = i == 0 && item.digits < XMP_NUMBER_FIELD ? XMP_NUMBER_FIELD : item.digits;
        append(&to, text + done, item.number - done);
        append(&to, digits, written);
        append(&to, text + item.number + item.digits, item.behind - item.number - item.digits);
        for (; written < field; written++)
            append(&to, (const uint8_t *)" ", 1);
        done = item.behind;
    }
    append(&to, text + done, text_length - done);
    return to.length;
}

bool kst_xmp_directory(const uint8_t *text, size_t length, size_t *from, size_t *to)
{
    const struct xmp_name container = prefix_of(text, length, container_space);
    size_t at = 0;
    bool begun = false;
    for (struct tag tag; (tag = next_tag(text, length, at)).kind != TAG_NONE; at = tag.end) {
        if (!is_name(tag.name, container, "Directory"))
            continue;
        if (!begun)
            *from = (size_t)(tag.name.text - text) - (tag.kind == TAG_END ? 2 : 1);
        begun = true;
        *to = tag.end;
        if (tag.kind != TAG_START)
            return true;
    }
    return false;
}

static void set_digit(uint8_t *text, size_t at, size_t length, int digit)
{
    if (length == 1 && text[at] >= '0' && text[at] <= '9')
        text[at] = (uint8_t)('0' + digit);
}

void kst_xmp_set_orientation(uint8_t *text, size_t length, int orientation)
{
    const struct xmp_name tiff = prefix_of(text, length, tiff_space);
    size_t at = 0;
    for (struct tag tag; (tag = next_tag(text, length, at)).kind != TAG_NONE; at = tag.end) {
        struct attribute attribute;
        for (size_t i = tag.attributes; tag.kind != TAG_END && next_attribute(text, length, &i, &attribute);)
            if (is_name(attribute.name, tiff, "Orientation"))
                set_digit(text, attribute.value, attribute.length, orientation);
        if (tag.kind == TAG_START && is_name(tag.name, tiff, "Orientation"))
            set_digit(text, tag.end, find(text, length, tag.end, "<") - tag.end, orientation);
    }
}
