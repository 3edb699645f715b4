/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the directories of a file, and distinguishes levels from associated pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pyramid/pyramid.h"

enum { TAG_SUBIFDS = 330, TAG_ICC = 34675, SUBFILE_REDUCED = 1, SUBFILE_MACRO = 9 };

static const char *const role_names[] = {"other", "level", "thumbnail", "label", "macro"};

const char *pyramid_role_name(enum pyramid_role role)
{
    return role_names[role];
}

static void note_damage(struct pyramid *pyramid, uint64_t at)
{
    if (pyramid->damage++ == 0)
        pyramid->damage_at = at;
}

static bool is_known(const struct pyramid *pyramid, uint64_t at)
{
    for (size_t i = 0; i < pyramid->count; i++)
        if (pyramid->image[i].at == at)
            return true;
    return false;
}

/* Read the directory at an offset. Returns null if it has been read before, or cannot be read. */
static struct pyramid_image *add_directory(
    struct pyramid *pyramid, uint64_t at, uint64_t directory, struct ifd *ifd, struct problem *problem)
{
    struct pyramid_image *grown;

    if (pyramid->count == PYRAMID_DIRECTORIES_MAX || is_known(pyramid, at) || !ifd_at(&pyramid->bytes, at, ifd) ||
        ifd->count > PYRAMID_ENTRIES_MAX - pyramid->entries) {
        note_damage(pyramid, at);
        return NULL;
    }
    pyramid->entries += ifd->count;
    if ((pyramid->count & (pyramid->count - 1)) == 0) {
        grown = realloc(pyramid->image, (pyramid->count == 0 ? 1 : 2 * pyramid->count) * sizeof *grown);
        if (grown == NULL) {
            problem_set(problem, "out of memory");
            return NULL;
        }
        pyramid->image = grown;
    }
    struct pyramid_image *image = &pyramid->image[pyramid->count++];
    *image = (struct pyramid_image){.at = at, .directory = directory};
    pyramid_read_image(&pyramid->bytes, ifd, image);
    if (pyramid->bytes.ndpi)
        pyramid_read_ndpi(&pyramid->bytes, ifd, image);
    return image;
}

/* Read the directories that the SubIFDs entry of the first one points to. */
static bool add_below(struct pyramid *pyramid, const struct ifd *first, struct problem *problem)
{
    struct ifd_entry entry;
    struct ifd ifd;
    uint64_t at;

    if (!ifd_find(&pyramid->bytes, first, TAG_SUBIFDS, &entry))
        return true;
    for (uint64_t i = 0; i < entry.count && i < PYRAMID_LEVELS_MAX; i++)
        if (ifd_element(&pyramid->bytes, &entry, i, &at))
            add_directory(pyramid, at, 0, &ifd, problem);
    return problem->text[0] == '\0';
}

/* Return the name of the vendor or format that writes such files. */
static const char *find_kind(const struct pyramid *pyramid)
{
    static const struct {
        const char *word, *kind;
    } known[] = {{"Aperio", "aperio"}, {"<OME", "ome"}, {"<scn", "leica"}, {"DPUfsImport", "philips"},
        {"Philips", "philips"}, {"<EncodeInfo", "ventana"}};

    if (pyramid->bytes.ndpi)
        return "hamamatsu";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pyramid_text_has(&pyramid->description, known[i].word))
            return known[i].kind;
    return "generic";
}

/* Return a picture's role by what its directory says. ROLE_OTHER may become a level later, by its shape. */
static enum pyramid_role find_role(const struct pyramid *pyramid, const struct ifd *ifd, struct pyramid_image *image)
{
    struct ifd_entry text;
    const bool aperio = strcmp(pyramid->kind, "aperio") == 0;

    ifd_find(&pyramid->bytes, ifd, TAG_DESCRIPTION, &text);
    const bool other = image->directory > 0 && !image->tiled;
    if (other && (pyramid_text_has(&text, "\nlabel") || pyramid_text_has(&text, "Label")))
        return ROLE_LABEL;
    if (other && (pyramid_text_has(&text, "\nmacro") || pyramid_text_has(&text, "Macro")))
        return ROLE_MACRO;
    if (other && image->subfile == SUBFILE_MACRO)
        return ROLE_MACRO;
    if (other && image->directory == 1 && aperio)
        return ROLE_THUMBNAIL;
    if (other && image->subfile == SUBFILE_REDUCED && aperio)
        return ROLE_LABEL;
    return ROLE_OTHER;
}

/* Return whether a picture is a smaller version of the first one. */
static bool is_smaller(const struct pyramid_image *first, const struct pyramid_image *image)
{
    const double across = (double)image->width / first->width, down = (double)image->height / first->height;
    /* Each side may have been rounded up or down. */
    const double tolerance = 0.02 + 2.0 / image->width + 2.0 / image->height;

    return image->tiled && image->width < first->width && image->height < first->height &&
           fabs(across / down - 1) < tolerance && image->samples == first->samples && image->bits == first->bits;
}

static void add_level(struct pyramid *pyramid, size_t index)
{
    const struct pyramid_image *image = pyramid->image;
    size_t at = pyramid->level_count;

    if (at == PYRAMID_LEVELS_MAX)
        return;
    pyramid->image[index].role = ROLE_LEVEL;
    for (; at > 0 && image[pyramid->level[at - 1]].width < image[index].width; at--)
        pyramid->level[at] = pyramid->level[at - 1];
    pyramid->level[at] = index;
    pyramid->level_count++;
}

/*
 * Find the levels. The first picture is the largest level; the others are among the `below` pictures that its SubIFDs
 * list, or, if there are none, among all later pictures.
 */
static void find_levels(struct pyramid *pyramid, size_t below)
{
    const struct pyramid_image *first = &pyramid->image[0];

    add_level(pyramid, 0);
    for (size_t i = 1; i < pyramid->count && first->width > 0 && first->height > 0; i++) {
        const struct pyramid_image *image = &pyramid->image[i];
        if ((below == 0 || i <= below) && image->role == ROLE_OTHER && image->width > 0 && image->height > 0 &&
            (pyramid->bytes.ndpi ? image->lens > 0 : is_smaller(first, image)))
            add_level(pyramid, i);
    }
}

static bool read_directories(struct pyramid *pyramid, uint64_t first, struct problem *problem)
{
    struct ifd ifd, next;

    if (first == 0 || add_directory(pyramid, first, 0, &ifd, problem) == NULL)
        return problem->text[0] != '\0' ? false : problem_set(problem, "TIFF: it has no directory");
    ifd_find(&pyramid->bytes, &ifd, TAG_DESCRIPTION, &pyramid->description);
    ifd_find(&pyramid->bytes, &ifd, TAG_ICC, &pyramid->icc);
    pyramid->kind = find_kind(pyramid);
    pyramid_read_scale(pyramid, &ifd);
    if (!add_below(pyramid, &ifd, problem))
        return false;
    const size_t below = pyramid->count - 1;
    uint64_t directory = 1;
    for (uint64_t at = ifd.next; at != 0; at = next.next, directory++) {
        struct pyramid_image *image = add_directory(pyramid, at, directory, &next, problem);
        if (image == NULL)
            break;
        if (!pyramid->bytes.ndpi)
            image->role = find_role(pyramid, &next, image);
    }
    find_levels(pyramid, below);
    return problem->text[0] == '\0';
}

/* Find out whether the file is NDPI, in which the first directory's offset has 64 bits. */
static uint64_t find_first(struct pyramid *pyramid, uint64_t first)
{
    enum { FIRST = 4, HEADER = 12 };
    uint64_t wide = 0;

    if (pyramid->bytes.length < HEADER || pyramid->bytes.wide || pyramid->bytes.big_endian)
        return first;
    for (unsigned i = 0; i < 8; i++)
        wide |= (uint64_t)pyramid->bytes.data[FIRST + i] << 8 * i;
    pyramid->bytes.ndpi = pyramid_is_ndpi(&pyramid->bytes, wide);
    return pyramid->bytes.ndpi ? wide : first;
}

/* Read a file whose first bytes are those of TIFF. Other files, and endless devices, are refused by these bytes. */
static bool read_tiff(
    struct pyramid *pyramid, const char *name, uint64_t max_memory, uint64_t *first, struct problem *problem)
{
    struct source *source = &pyramid->source;

    if (!source_open(source, name, problem))
        return false;
    if (!ifd_open(&pyramid->bytes, source->data, source->length, first))
        return problem_set(problem, "not a TIFF file");
    return source_finish(source, max_memory, problem) && ifd_open(&pyramid->bytes, source->data, source->length, first);
}

bool pyramid_open(struct pyramid *pyramid, const char *name, uint64_t max_memory, struct problem *problem)
{
    uint64_t first;

    *pyramid = (struct pyramid){.kind = "generic"};
    problem->text[0] = '\0';
    if (read_tiff(pyramid, name, max_memory, &first, problem) &&
        read_directories(pyramid, find_first(pyramid, first), problem))
        return true;
    pyramid_release(pyramid);
    return false;
}

void pyramid_release(struct pyramid *pyramid)
{
    free(pyramid->image);
    pyramid->image = NULL;
    source_release(&pyramid->source);
}

/* Return the picture if it can be decoded; null, with the problem, if not. */
static const struct pyramid_image *check(const struct pyramid_image *image, const char *what, struct problem *problem)
{
    if (image->fault[0] != '\0' && !pyramid_is_plain(image))
        problem_set(problem, "%s (directory at offset %llu): %s", what, (unsigned long long)image->at, image->fault);
    else
        return image;
    return NULL;
}

const struct pyramid_image *pyramid_level(const struct pyramid *pyramid, uint32_t level, struct problem *problem)
{
    char what[32];

    if (level >= pyramid->level_count) {
        problem_set(problem, "--level: there are %zu levels, counted from 0", pyramid->level_count);
        return NULL;
    }
    snprintf(what, sizeof what, "level %u", (unsigned)level);
    return check(&pyramid->image[pyramid->level[level]], what, problem);
}

const struct pyramid_image *pyramid_named(const struct pyramid *pyramid, const char *name, struct problem *problem)
{
    for (size_t i = 0; i < pyramid->count; i++)
        if (pyramid->image[i].role > ROLE_LEVEL && strcmp(role_names[pyramid->image[i].role], name) == 0)
            return check(&pyramid->image[i], name, problem);
    problem_set(problem, "--image: there is no %s", name);
    return NULL;
}
