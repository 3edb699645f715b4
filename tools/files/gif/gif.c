/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads GIF files through giflib: the first picture of the file, on a canvas that is transparent around the picture.
 * The pixels are grey or RGB, as the palette is, or RGBA if a colour is transparent or the picture leaves some of the
 * canvas free. Sections and appendices are those of the GIF89a specification.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "files/gif/file.h"
#include "files/gif/library.h"
#include "files/gif/metadata.h"

static struct {
    GIF_FUNCTIONS(LIBRARY_POINTER)
} loaded;

static const char *const names[] = {GIF_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof loaded == sizeof names, "a pointer for each name");

/* Holds the state of reading a file. */
struct gif {
    const struct source *source;
    size_t at;    /* offset of the next byte that giflib reads */
    size_t block; /* offset of the block that is read; 0: the file's header */
    GifFileType *file;
    uint32_t width, height;  /* size of the canvas; larger than stated if the first picture would not fit otherwise */
    uint8_t palette[256][4]; /* red, green, blue, alpha */
    kst_format format;
    int transparent;         /* index of the transparent colour; −1: none */
    struct picture *picture; /* the picture with which metadata are kept; null: they are not kept */
    struct problem *problem;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure; /* why loading the library failed */

static void load(void)
{
    static const char *const files[] = {KOSTKA_GIF_LIBRARY, NULL};

    library_load(files, names, sizeof names / sizeof *names, &loaded, &failure);
}

/* Load giflib. This must succeed before any of its functions is called. Thread-safe. */
static bool load_once(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "GIF cannot be read: %s", failure.text);
}

/* Read bytes of the file for giflib. Returns fewer bytes than wanted if the file ends. */
static int read_bytes(GifFileType *file, GifByteType *to, int length)
{
    struct gif *gif = file->UserData;
    size_t left = gif->source->length - gif->at, taken = (size_t)length < left ? (size_t)length : left;

    memcpy(to, gif->source->data + gif->at, taken);
    gif->at += taken;
    return (int)taken;
}

/* Report an error of giflib. Whether the file is too short is checked here, because giflib reports that as damage. */
static bool explain(const struct gif *gif, int error)
{
    const char *text = loaded.GifErrorString_(error);

    if (gif->at >= gif->source->length)
        return problem_set(gif->problem, "GIF: the file ends too early, in the %s at byte %zu",
            gif->block > 0 ? "block" : "header", gif->block);
    return problem_set(gif->problem, "GIF: the file is damaged before byte %zu, in the %s at byte %zu: %s", gif->at,
        gif->block > 0 ? "block" : "header", gif->block, text != NULL ? text : "unknown error");
}

static bool check(const struct gif *gif, int result)
{
    return result == GIF_OK || explain(gif, gif->file->Error);
}

/*
 * Read an extension in front of a picture. A graphic control extension (section 23) says which index is transparent;
 * the rest of it is about animations. Other extensions hold metadata, or are skipped.
 */
static bool read_extension(struct gif *gif)
{
    enum { TRANSPARENT = 1 /* among the flags */ };
    GifByteType *bytes; /* the first byte is the number of bytes that follow */
    int code;

    if (!check(gif, loaded.DGifGetExtension_(gif->file, &code, &bytes)))
        return false;
    if (code == GRAPHICS_EXT_FUNC_CODE && bytes != NULL && bytes[0] >= 4)
        gif->transparent = (bytes[1] & TRANSPARENT) != 0 ? bytes[4] : -1;
    struct gif_extension extension = {.code = code};
    bool good = true, stored = true;
    while (bytes != NULL && good && stored) {
        stored = gif->picture == NULL || gif_extension_add(&extension, bytes);
        good = check(gif, loaded.DGifGetExtensionNext_(gif->file, &bytes));
    }
    if (good && stored && gif->picture != NULL)
        stored = gif_extension_keep(&extension, gif->picture);
    blob_release(&extension.bytes);
    return good && (stored || problem_set(gif->problem, "out of memory"));
}

/* Advance to the next picture. `found` is false at the end of the file. */
static bool find_picture(struct gif *gif, bool *found)
{
    GifRecordType type = UNDEFINED_RECORD_TYPE;

    while (type != IMAGE_DESC_RECORD_TYPE && type != TERMINATE_RECORD_TYPE) {
        gif->block = gif->at;
        if (!check(gif, loaded.DGifGetRecordType_(gif->file, &type)) ||
            (type == EXTENSION_RECORD_TYPE && !read_extension(gif)))
            return false;
    }
    *found = type == IMAGE_DESC_RECORD_TYPE;
    return true;
}

/* Read the palette: the picture's own, or else that of the whole file. Indices beyond its end are black. */
static bool get_palette(struct gif *gif)
{
    const ColorMapObject *map = gif->file->Image.ColorMap != NULL ? gif->file->Image.ColorMap : gif->file->SColorMap;
    bool grey = true;

    if (map == NULL)
        return problem_set(gif->problem, "GIF: a picture without a palette, at byte %zu", gif->block);
    for (int i = 0; i < 256; i++) {
        const GifColorType colour = i < map->ColorCount ? map->Colors[i] : (GifColorType){0, 0, 0};
        const uint8_t entry[4] = {colour.Red, colour.Green, colour.Blue, i == gif->transparent ? 0 : 255};
        memcpy(gif->palette[i], entry, sizeof entry);
        grey = grey && colour.Red == colour.Green && colour.Green == colour.Blue;
    }
    gif->format = grey ? KST_FORMAT_GREY : KST_FORMAT_RGB;
    return true;
}

static uint32_t larger(int a, int b)
{
    return (uint32_t)(a > b ? a : b);
}

static bool open_picture(struct gif *gif)
{
    const GifImageDesc *image = &gif->file->Image;
    bool found;

    if (!find_picture(gif, &found))
        return false;
    if (!found)
        return problem_set(gif->problem, "GIF: a file without a picture, which ends at byte %zu", gif->block);
    if (!check(gif, loaded.DGifGetImageDesc_(gif->file)) || !get_palette(gif))
        return false;
    if (image->Left < 0 || image->Top < 0 || image->Width <= 0 || image->Height <= 0)
        return problem_set(
            gif->problem, "GIF: the picture is empty (%d x %d), at byte %zu", image->Width, image->Height, gif->block);
    gif->width = larger(gif->file->SWidth, image->Left + image->Width);
    gif->height = larger(gif->file->SHeight, image->Top + image->Height);
    if (gif->transparent >= 0 || gif->width > (uint32_t)image->Width || gif->height > (uint32_t)image->Height)
        gif->format = KST_FORMAT_RGBA;
    return true;
}

/* Read the file up to the pixels of the first picture. Whatever this returns, gif_close() must follow. */
static bool gif_open(struct gif *gif, const struct source *source, struct picture *picture, struct problem *problem)
{
    int error = 0;

    *gif = (struct gif){.source = source, .transparent = -1, .picture = picture, .problem = problem};
    if (!load_once(problem))
        return false;
    gif->file = loaded.DGifOpen_(gif, read_bytes, &error);
    return gif->file != NULL ? open_picture(gif) : explain(gif, error);
}

static void gif_close(struct gif *gif)
{
    if (gif->file != NULL)
        loaded.DGifCloseFile_(gif->file, NULL);
}

static void place_row(const struct gif *gif, const GifPixelType *from, uint8_t *to)
{
    const size_t channels = kst_format_channels(gif->format);

    for (int x = 0; x < gif->file->Image.Width; x++, to += channels)
        memcpy(to, gif->palette[from[x]], channels);
}

/* Read all rows. Those of an interlaced picture come in four passes (appendix E). */
static bool read_rows(const struct gif *gif, const struct picture *picture)
{
    static const struct {
        int first, step;
    } passes[] = {{0, 1}, {0, 8}, {4, 8}, {2, 4}, {1, 2}};
    const GifImageDesc *image = &gif->file->Image;
    const size_t channels = kst_format_channels(gif->format), last = image->Interlace ? 4 : 0;
    GifPixelType *line = malloc((size_t)image->Width);
    bool good = true;

    if (line == NULL)
        return problem_set(gif->problem, "out of memory");
    for (size_t pass = image->Interlace ? 1 : 0; pass <= last && good; pass++)
        for (int y = passes[pass].first; y < image->Height && good; y += passes[pass].step) {
            good = check(gif, loaded.DGifGetLine_(gif->file, line, image->Width));
            if (good)
                place_row(
                    gif, line, picture_row(picture, 0, (uint32_t)(image->Top + y)) + channels * (size_t)image->Left);
        }
    free(line);
    return good;
}

/*
 * Print a note if other pictures follow. Damage behind the first picture is ignored, because that picture is complete.
 */
static void tell_animation(struct gif *gif)
{
    struct problem ignored;
    bool found;

    gif->problem = &ignored;
    if (find_picture(gif, &found) && found)
        complain(gif->source->name, "note: it is an animation, of which the first picture is read");
}

bool gif_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct gif gif;
    bool good = gif_open(&gif, source, picture, problem) &&
                picture_permitted(settings, gif.width, gif.height, kst_format_channels(gif.format), problem) &&
                picture_allocate(picture, gif.format, gif.width, gif.height, 8, settings->max_pixels, problem) &&
                read_rows(&gif, picture);

    if (good)
        tell_animation(&gif);
    gif_close(&gif);
    return good;
}

bool gif_describe(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct gif gif;
    bool good = gif_open(&gif, source, NULL, problem);
    (void)settings;

    if (good) {
        picture->image.format = gif.format;
        picture->image.width = gif.width;
        picture->image.height = gif.height;
        picture->image.plane[0].depth = 8;
    }
    gif_close(&gif);
    return good;
}
