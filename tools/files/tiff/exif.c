/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies Exif between its own directories and those of a TIFF file. */
#include "files/tiff/exif.h"

#include <stdlib.h>
#include <string.h>

#include "files/metadata/losses.h"
#include "files/metadata/photoshop.h"
#include "files/tiff/ifd.h"

enum {
    TAG_RATING = 0x4746,
    TAG_RATING_PERCENT = 0x4749,
    TAG_TITLE = 0x9C9B, /* this and the next four tags are those of Windows, in UTF-16 */
    TAG_COMMENT = 0x9C9C,
    TAG_AUTHOR = 0x9C9D,
    TAG_KEYWORDS = 0x9C9E,
    TAG_SUBJECT = 0x9C9F,
    TAG_PRINT_IM = 0xC4A5,
    MARKER_COMMENT = 0xFE,
    ROOM = 1024,       /* room in addition to the copied bytes */
    READ_MAX = 1 << 26 /* the most bytes of Exif */
};

/* The tags of texts that libtiff knows. */
static const uint16_t texts[] = {TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE, TIFFTAG_MODEL,
    TIFFTAG_PAGENAME, TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST, TIFFTAG_HOSTCOMPUTER, TIFFTAG_COPYRIGHT};

/* Other tags that describe the picture, which are registered with libtiff. */
#define TEXT_OF_WINDOWS(TAG)                                                                                           \
    {                                                                                                                  \
        TAG, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, field_name                                 \
    }
static char field_name[] = "Exif"; /* not const, because libtiff takes char * */
static const TIFFFieldInfo fields[] = {{TAG_RATING, 1, 1, TIFF_SHORT, FIELD_CUSTOM, 1, 0, field_name},
    {TAG_RATING_PERCENT, 1, 1, TIFF_SHORT, FIELD_CUSTOM, 1, 0, field_name}, TEXT_OF_WINDOWS(TAG_TITLE),
    TEXT_OF_WINDOWS(TAG_COMMENT), TEXT_OF_WINDOWS(TAG_AUTHOR), TEXT_OF_WINDOWS(TAG_KEYWORDS),
    TEXT_OF_WINDOWS(TAG_SUBJECT),
    {TAG_PRINT_IM, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_UNDEFINED, FIELD_CUSTOM, 1, 1, field_name}};

/*
 * Lists the tags of Exif that are not copied: those of how the picture is coded, which TIFF states itself; other
 * metadata; and the padding that Windows leaves.
 */
static const uint16_t of_coding[] = {0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0111, 0x0115, 0x0116, 0x0117, 0x011C,
    0x012D, 0x013E, 0x013F, 0x0201, 0x0202, 0x0211, 0x0212, 0x0213, 0x0214, 0x02BC, 0x83BB, 0x8649, 0x8773, 0xEA1C};

static bool is_among(const uint16_t *tags, size_t count, unsigned tag)
{
    for (size_t i = 0; i < count; i++)
        if (tags[i] == tag)
            return true;
    return false;
}

static bool is_text(unsigned tag)
{
    return is_among(texts, sizeof texts / sizeof *texts, tag);
}

static const TIFFFieldInfo *find_field(unsigned tag)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].field_tag == tag)
            return &fields[i];
    return NULL;
}

char tiff_exif_order(const struct picture *picture)
{
    struct ifd_bytes exif;
    uint64_t first;

    if (picture->exif.data == NULL || !ifd_open(&exif, picture->exif.data, picture->exif.length, &first) || exif.wide)
        return 0;
    return exif.big_endian ? 'b' : 'l';
}

/* Holds the state of writing Exif to a file. */
struct writing {
    TIFF *tiff;
    const struct picture *picture;
    const char *name; /* for warnings */
    struct ifd_bytes exif;
    struct ifd_made made;
    bool described; /* the file has a description */
};

static bool is_blank(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length && text[i] != '\0'; i++)
        if (text[i] != ' ')
            return false;
    return true;
}

/* Set a text. Texts of TIFF end at a zero byte, as those of Exif usually do. */
static bool set_text(TIFF *tiff, unsigned tag, const uint8_t *text, size_t length)
{
    char *copy = strndup((const char *)text, length);
    bool good = copy != NULL && TIFFSetField(tiff, tag, copy) != 0;

    free(copy);
    return good;
}

static void set_number(const struct writing *w, const struct ifd_entry *entry)
{
    uint64_t number = ifd_number(&w->exif, entry);

    if (number <= UINT16_MAX)
        TIFFSetField(w->tiff, entry->tag, (unsigned)number);
}

/* Set the resolution, unless the picture itself states its density. */
static void set_resolution(const struct writing *w, const struct ifd_entry *entry)
{
    struct ifd_entry half = {.type = IFD_LONG, .count = 1, .value = entry->value, .length = 4};

    if (w->picture->density_x != 0 && w->picture->density_y != 0)
        return;
    if (entry->tag == TAG_RESOLUTION_UNIT) {
        set_number(w, entry);
    } else if (entry->type == IFD_RATIONAL && entry->count == 1) {
        double dividend = (double)ifd_number(&w->exif, &half);
        half.value += 4;
        uint64_t divisor = ifd_number(&w->exif, &half);
        if (divisor != 0)
            TIFFSetField(w->tiff, entry->tag, dividend / (double)divisor);
    }
}

static bool set_entry(struct writing *w, const struct ifd_entry *entry)
{
    const TIFFFieldInfo *field = find_field(entry->tag);
    char tag[32];

    if (is_text(entry->tag) && (entry->tag != TAG_DESCRIPTION || !is_blank(entry->value, entry->length))) {
        w->described |= entry->tag == TAG_DESCRIPTION;
        return set_text(w->tiff, entry->tag, entry->value, entry->length);
    }
    if (entry->tag == TAG_EXIF || entry->tag == TAG_GPS) {
        uint64_t place = ifd_copy(&w->made, &w->exif, ifd_number(&w->exif, entry), NULL, NULL);
        return place == 0 || TIFFSetField(w->tiff, entry->tag, place) != 0;
    }
    if (entry->tag == TAG_X_RESOLUTION || entry->tag == TAG_Y_RESOLUTION || entry->tag == TAG_RESOLUTION_UNIT) {
        set_resolution(w, entry);
    } else if (entry->tag == TAG_ORIENTATION || (field != NULL && field->field_type == TIFF_SHORT)) {
        set_number(w, entry);
    } else if (field != NULL) {
        return TIFFSetField(w->tiff, entry->tag, (uint32_t)entry->length, entry->value) != 0;
    } else if (!is_text(entry->tag) && !is_among(of_coding, sizeof of_coding / sizeof *of_coding, entry->tag)) {
        snprintf(tag, sizeof tag, "tag 0x%04X of Exif", entry->tag);
        loss_tell(w->name, tag, "it is not one that TIFF is known to have");
    }
    return true;
}

static bool set_entries(struct writing *w, const struct ifd *ifd)
{
    struct ifd_entry entry;
    bool good = true;

    for (uint64_t i = 0; i < ifd->count && good; i++) {
        bool whole = ifd_get(&w->exif, ifd, i, &entry);
        w->made.damaged |= !whole;
        good = !whole || set_entry(w, &entry);
    }
    if (ifd->next != 0)
        loss_tell(w->name, "the thumbnail of Exif", "TIFF has no place for it");
    return good;
}

static bool set_exif(struct writing *w, struct tiff_bytes *file)
{
    const struct blob *exif = &w->picture->exif;
    struct ifd ifd;
    uint64_t first;

    if (!ifd_open(&w->exif, exif->data, exif->length, &first) || w->exif.wide || !ifd_at(&w->exif, first, &ifd)) {
        loss_tell(w->name, "Exif", "it is damaged");
        return true;
    }
    w->made = (struct ifd_made){.limit = 4 * exif->length + ROOM,
        .base = file->length + file->length % 2,
        .big_endian = w->exif.big_endian,
        .wide = TIFFIsBigTIFF(w->tiff) != 0};
    bool good = TIFFMergeFieldInfo(w->tiff, fields, sizeof fields / sizeof *fields) == 0 && set_entries(w, &ifd) &&
                !w->made.failed && tiff_append(file, w->made.data, w->made.length);
    if (good && w->made.damaged)
        loss_tell(w->name, "a part of Exif", "it is damaged");
    free(w->made.data);
    return good;
}

/* Make the first comment the description if there is none. */
static bool set_comments(struct writing *w)
{
    const struct picture *picture = w->picture;
    size_t dropped = 0;
    bool good = true;

    for (size_t i = 0; i < picture->extra_count && good; i++) {
        const kst_metadata *comment = &picture->extra[i];
        if (comment->kind != KST_METADATA_COMMENT || is_blank(comment->data, comment->length))
            continue;
        if (w->described) {
            const char *text = NULL;
            bool same = TIFFGetField(w->tiff, TIFFTAG_IMAGEDESCRIPTION, &text) != 0 && text != NULL &&
                        strlen(text) == strnlen((const char *)comment->data, comment->length) &&
                        memcmp(text, comment->data, strlen(text)) == 0;
            dropped += !same;
        } else {
            good = set_text(w->tiff, TIFFTAG_IMAGEDESCRIPTION, comment->data, comment->length);
            w->described = true;
        }
    }
    if (dropped > 0)
        loss_tell(w->name, dropped == 1 ? "a comment" : "some comments", "TIFF has one description, which is another");
    return good;
}

bool tiff_exif_set(TIFF *tiff, struct tiff_bytes *file, const struct picture *picture, const char *name)
{
    struct writing writing = {.tiff = tiff, .picture = picture, .name = name};

    return (picture->exif.data == NULL || set_exif(&writing, file)) && set_comments(&writing);
}

/* Holds the state of choosing which entries of a file's first directory belong to Exif. */
struct choice {
    uint8_t orientation[2];
    bool any; /* an entry was found that not every file has */
};

static bool choose(void *user, struct ifd_entry *entry)
{
    struct choice *choice = user;

    switch (entry->tag) {
    case TAG_X_RESOLUTION:
    case TAG_Y_RESOLUTION:
    case TAG_RESOLUTION_UNIT:
    case TAG_DESCRIPTION:
        return true;
    case TAG_ORIENTATION:
        *entry = (struct ifd_entry){
            .tag = TAG_ORIENTATION, .type = IFD_SHORT, .count = 1, .value = choice->orientation, .length = 2};
        choice->any |= choice->orientation[0] + choice->orientation[1] != 1;
        return true;
    default:
        if (entry->tag != TAG_EXIF && entry->tag != TAG_GPS && !is_text(entry->tag) && find_field(entry->tag) == NULL)
            return false;
        return choice->any = true;
    }
}

/* Make a separate Exif structure with a header. */
static void make_exif(const struct ifd_bytes *file, uint64_t first, struct choice *choice, struct ifd_made *made)
{
    static const uint8_t little[8] = {'I', 'I', 42, 0}, big[8] = {'M', 'M', 0, 42};

    ifd_append(made, file->big_endian ? big : little, sizeof big);
    uint64_t place = ifd_copy(made, file, first, choose, choice);
    if (!made->failed)
        ifd_put(made, made->data + 4, 4, place);
}

static bool keep_exif(
    const struct source *source, const struct ifd_bytes *file, uint64_t first, unsigned orientation, struct blob *exif)
{
    struct ifd_made made = {.limit = file->length < READ_MAX / 2 ? (size_t)file->length * 2 + ROOM : READ_MAX,
        .big_endian = file->big_endian};
    struct choice choice = {.any = false};

    ifd_put(&made, choice.orientation, 2, orientation);
    make_exif(file, first, &choice, &made);
    if (choice.any && (made.failed || made.damaged))
        complain(source->name, "warning: TIFF: %s of its Exif is damaged, and dropped", made.failed ? "all" : "a part");
    if (!choice.any || made.failed) {
        free(made.data);
        return true;
    }
    *exif = (struct blob){made.data, made.length};
    return true;
}

static bool keep_description(const struct ifd_entry *entry, struct picture *picture)
{
    size_t length = strnlen((const char *)entry->value, entry->length);

    return is_blank(entry->value, length) ||
           picture_keep(picture, KST_METADATA_COMMENT, MARKER_COMMENT, entry->value, length);
}

/* Keep IPTC, which begins with the byte 28. Old programs wrote it as 32-bit numbers in the file's byte order. */
static bool keep_iptc(const struct ifd_entry *entry, struct picture *picture)
{
    enum { TAG_MARKER = 0x1C };
    bool turned = entry->length >= 4 && entry->value[0] != TAG_MARKER && entry->value[3] == TAG_MARKER;
    size_t length = turned ? entry->length / 4 * 4 : entry->length;

    if (length == 0 || (!turned && entry->value[0] != TAG_MARKER))
        return true;
    uint8_t *iptc = malloc(length);
    bool good = iptc != NULL;
    for (size_t i = 0; i < length && good; i++)
        iptc[i] = entry->value[turned ? i ^ 3 : i];
    good = good && photoshop_keep_iptc(picture, iptc, length);
    free(iptc);
    return good;
}

bool tiff_exif_keep(const struct source *source, unsigned orientation, struct picture *picture)
{
    struct ifd_bytes file;
    struct ifd_entry entry;
    struct ifd ifd;
    uint64_t first;

    if (!ifd_open(&file, source->data, source->length, &first) || !ifd_at(&file, first, &ifd))
        return true;
    return keep_exif(source, &file, first, orientation, &picture->exif) &&
           (!ifd_find(&file, &ifd, TAG_DESCRIPTION, &entry) || keep_description(&entry, picture)) &&
           (!ifd_find(&file, &ifd, TAG_IPTC, &entry) || keep_iptc(&entry, picture));
}
