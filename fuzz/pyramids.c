/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes as a TIFF file with a pyramid. Tiles lie in the file and in the picture, the streams that are made of
 * them can be opened or are refused by the library, and a failure has a text.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pyramid/pyramid.h"

enum { TILES_MAX = 64, MEMORY = 1 << 20 };

/* Holds the input, which stands for a file on a disk. */
static struct fuzz_input file;

bool source_open(struct source *source, const char *name, struct problem *problem)
{
    (void)problem;
    *source = (struct source){.name = name, .data = (uint8_t *)(uintptr_t)file.data, .length = file.length};
    return true;
}

bool source_finish(struct source *source, uint64_t limit, struct problem *problem)
{
    (void)source;
    (void)limit;
    (void)problem;
    return true;
}

void source_release(struct source *source)
{
    source->data = NULL;
}

bool picture_permitted(const struct file_settings *settings, uint64_t width, uint64_t height, uint64_t pixel_bytes,
    struct problem *problem)
{
    (void)settings;
    (void)width;
    (void)height;
    (void)pixel_bytes;
    (void)problem;
    return true;
}

/*
 * Stand in for the reader with libtiff, which is not tested here: check that the file that was made has its directory.
 */
static bool read_made(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct ifd_bytes bytes;
    struct ifd ifd;
    uint64_t first;

    (void)settings;
    (void)picture;
    (void)problem;
    fuzz_check(ifd_open(&bytes, source->data, source->length, &first) && ifd_at(&bytes, first, &ifd) && ifd.next == 0,
        "a plain picture becomes a file of one directory");
    return true;
}

const struct file_format file_tiff = {.read = read_made};

static void check_plain(const struct pyramid *pyramid, const struct pyramid_image *image)
{
    const struct file_settings settings = {.max_memory = MEMORY};
    struct problem problem = {.text = ""};

    fuzz_check(pyramid_read_plain(pyramid, image, &settings, NULL, &problem) || problem.text[0] != '\0',
        "a failure has a text");
}

static void check_tile(const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index)
{
    struct pyramid_tile tile;
    struct pyramid_stream stream;
    struct problem problem = {.text = ""};

    pyramid_tile(pyramid, image, index, &tile);
    fuzz_check(tile.x < image->width && tile.width > 0 && tile.width <= image->width - tile.x, "columns of a tile");
    fuzz_check(tile.y < image->height && tile.height > 0 && tile.height <= image->height - tile.y, "rows of a tile");
    fuzz_check(
        tile.data == NULL || (tile.at <= file.length && tile.length <= file.length - tile.at), "bytes of a tile");
    if (!pyramid_stream(image, &tile, &stream, &problem)) {
        fuzz_check(problem.text[0] != '\0' && stream.made == NULL, "a failure has a text");
        return;
    }
    kst_decoder *decoder;
    if (!kst_decoder_create(fuzz_plain(), &decoder)) {
        kst_decoder_open(decoder, stream.data, stream.length);
        kst_decoder_destroy(&decoder);
    }
    free(stream.made);
}

static void check_image(const struct pyramid *pyramid, const struct pyramid_image *image)
{
    const uint64_t tiles = (uint64_t)image->across * image->down;

    fuzz_check((tiles == 0) == (image->fault[0] != '\0'), "a picture has tiles or a fault");
    if (image->role > ROLE_LEVEL)
        check_plain(pyramid, image);
    for (uint64_t i = 0; i < tiles && i < TILES_MAX; i++)
        check_tile(pyramid, image, i * tiles / (tiles < TILES_MAX ? tiles : TILES_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct pyramid pyramid;
    struct problem problem = {.text = ""};

    file = (struct fuzz_input){data, length};
    if (!pyramid_open(&pyramid, "file", MEMORY, &problem)) {
        fuzz_check(problem.text[0] != '\0', "a failure has a text");
        return 0;
    }
    fuzz_check(
        pyramid.count > 0 && pyramid.level_count > 0 && pyramid.level_count <= pyramid.count, "there are levels");
    for (size_t i = 0; i < pyramid.count; i++)
        check_image(&pyramid, &pyramid.image[i]);
    for (uint32_t level = 0; level <= pyramid.level_count; level++) {
        problem.text[0] = '\0';
        const struct pyramid_image *image = pyramid_level(&pyramid, level, &problem);
        fuzz_check((image == NULL) == (problem.text[0] != '\0'), "a level that is refused has a reason");
    }
    pyramid_release(&pyramid);
    return 0;
}
