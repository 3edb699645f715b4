/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the pages of TIFF files as slices of a volume. */
#include "volume/stack.h"

#include <stdlib.h>
#include <string.h>

#include "files/tiff/bytes.h"

/* Holds the properties that all pages share. */
struct page {
    uint32_t width, height;
    uint16_t bits, kind; /* kind: SAMPLEFORMAT_… */
};

bool volume_is_stack(const char *name)
{
    return file_has_extension(name, "tif") || file_has_extension(name, "tiff");
}

static bool read_page_shape(TIFF *tiff, uint32_t number, struct page *page, struct problem *problem)
{
    uint16_t channels = 1, photometric = PHOTOMETRIC_MINISBLACK;
    *page = (struct page){0};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page->kind);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    const bool is_whole = page->kind == SAMPLEFORMAT_UINT || page->kind == SAMPLEFORMAT_INT;
    if (page->width == 0 || page->height == 0 || page->width > INT32_MAX || page->height > INT32_MAX)
        return problem_set(problem, "TIFF: page %u has no samples", (unsigned)number);
    if (channels != 1 || photometric != PHOTOMETRIC_MINISBLACK)
        return problem_set(problem, "TIFF: page %u is not grey with black as 0", (unsigned)number);
    return (is_whole && (page->bits == 8 || page->bits == 16)) ||
           (page->kind == SAMPLEFORMAT_IEEEFP && page->bits == 32) ||
           problem_set(problem, "TIFF: page %u has samples other than integers of 8 or 16 bits and single precision",
               (unsigned)number);
}

/* Examine all pages, which must have the same properties. libtiff ends silently at a page that was there before. */
static bool count_pages(TIFF *tiff, struct page *page, uint32_t *count, struct problem *problem)
{
    struct page other;
    for (*count = 0; *count == 0 || TIFFReadDirectory(tiff); ++*count) {
        if (!read_page_shape(tiff, *count, &other, problem))
            return false;
        if (*count == 0)
            *page = other;
        if (memcmp(page, &other, sizeof other) != 0)
            return problem_set(problem, "TIFF: page %u is of another size or type than page 0", (unsigned)*count);
    }
    if (problem->text[0] == '\0' && !TIFFLastDirectory(tiff))
        return problem_set(problem, "TIFF: page %u is none, or one of those before", (unsigned)*count);
    return problem->text[0] == '\0';
}

/* Copy the part of a tile that lies in the page. */
static void copy_tile(
    const uint8_t *tile, uint32_t tile_width, uint32_t rows, uint32_t columns, size_t bytes, uint8_t *to, size_t row)
{
    for (uint32_t y = 0; y < rows; y++)
        memcpy(to + y * row, tile + (size_t)y * tile_width * bytes, columns * bytes);
}

static bool read_tiles(TIFF *tiff, const struct page *page, uint64_t limit, uint8_t *to)
{
    const size_t bytes = page->bits / 8, row = page->width * bytes;
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
    const tmsize_t size = TIFFTileSize(tiff);
    if (width == 0 || height == 0 || size <= 0 || (uint64_t)size > limit ||
        (uint64_t)size != (uint64_t)width * height * bytes)
        return false;
    uint8_t *tile = malloc((size_t)size);
    bool good = tile != NULL;
    for (uint32_t y = 0; good && y < page->height; y += height)
        for (uint32_t x = 0; good && x < page->width; x += width) {
            const uint32_t rows = page->height - y < height ? page->height - y : height;
            const uint32_t columns = page->width - x < width ? page->width - x : width;
            good = TIFFReadTile(tiff, tile, x, y, 0, 0) >= 0;
            if (good)
                copy_tile(tile, width, rows, columns, bytes, to + y * row + x * bytes, row);
        }
    free(tile);
    return good;
}

static bool read_page(TIFF *tiff, const struct page *page, uint64_t limit, uint8_t *to)
{
    const size_t row = (size_t)page->width * (page->bits / 8);
    if (TIFFIsTiled(tiff))
        return read_tiles(tiff, page, limit, to);
    if (TIFFScanlineSize(tiff) < 0 || (size_t)TIFFScanlineSize(tiff) != row)
        return false;
    for (uint32_t y = 0; y < page->height; y++)
        if (TIFFReadScanline(tiff, to + y * row, y, 0) < 0)
            return false;
    return true;
}

static void describe(const struct page *page, uint32_t count, kst_volume *volume)
{
    kst_volume_init(volume);
    volume->width = page->width;
    volume->height = page->height;
    volume->depth = count;
    volume->bits = (uint8_t)page->bits;
    volume->is_signed = page->kind != SAMPLEFORMAT_UINT;
    volume->sample = page->kind == SAMPLEFORMAT_IEEEFP ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
}

static bool read_pages(
    TIFF *tiff, struct volume_file *file, const struct volume_settings *settings, struct problem *problem)
{
    struct page page = {0};
    uint32_t count;
    uint64_t length;
    if (!count_pages(tiff, &page, &count, problem))
        return problem->text[0] != '\0' ? false : problem_set(problem, "TIFF: cannot be read");
    describe(&page, count, &file->volume);
    const uint64_t slice = (uint64_t)page.width * page.height * (page.bits / 8),
                   limit = common_max_memory(&settings->common);
    if ((uint64_t)page.width * page.height > common_max_pixels(&settings->common) ||
        __builtin_mul_overflow(slice, (uint64_t)count, &length) || length > limit)
        return problem_set_kind(problem, PROBLEM_LIMIT, "TIFF: %u pages of %ux%u samples exceed the limits",
            (unsigned)count, (unsigned)page.width, (unsigned)page.height);
    file->samples = malloc((size_t)length);
    if (file->samples == NULL)
        return problem_set(problem, "out of memory");
    /* Pages are read in sequence, because libtiff searches for a page by its number from the first page on. */
    for (uint32_t i = 0; i < count; i++)
        if (!(i == 0 ? TIFFSetDirectory(tiff, 0) : TIFFReadDirectory(tiff)) ||
            !read_page(tiff, &page, limit, (uint8_t *)file->samples + i * slice))
            return problem->text[0] != '\0' ? false : problem_set(problem, "TIFF: page %u cannot be read", (unsigned)i);
    return true;
}

bool stack_read(struct volume_file *file, const struct volume_settings *settings, struct problem *problem)
{
    struct tiff_bytes bytes = {
        .data = file->source.data, .length = file->source.length, .limit = common_max_memory(&settings->common)};
    TIFF *tiff = tiff_open(&bytes, "r", problem);
    if (tiff == NULL)
        return false;
    const bool good = read_pages(tiff, file, settings, problem);
    TIFFClose(tiff);
    return good;
}

static void set_tags(TIFF *tiff, const kst_volume *volume)
{
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, volume->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, volume->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (int)(8 * volume_sample_bytes(volume)));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, volume->height);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
        volume->sample == KST_SAMPLE_FLOAT32 ? SAMPLEFORMAT_IEEEFP
        : volume->is_signed                  ? SAMPLEFORMAT_INT
                                             : SAMPLEFORMAT_UINT);
}

static bool write_page(TIFF *tiff, const kst_volume *volume, const uint8_t *slice, size_t row)
{
    set_tags(tiff, volume);
    for (uint32_t y = 0; y < volume->height; y++)
        if (TIFFWriteScanline(tiff, (void *)(uintptr_t)(slice + y * row), y, 0) < 0)
            return false;
    return TIFFWriteDirectory(tiff) != 0;
}

bool stack_write(struct output *output, const kst_volume *volume, struct problem *problem)
{
    const size_t row = volume->width * volume_sample_bytes(volume);
    const uint64_t slice = (uint64_t)row * volume->height, most = UINT32_MAX - (uint64_t)volume->depth * 1024;
    struct tiff_bytes bytes = {.output = NULL}; /* in memory: libtiff reads back what it wrote of the previous page */
    if (slice > UINT32_MAX || volume->depth > UINT16_MAX)
        return problem_set(problem, "TIFF: slices above 4 GiB, or more than 65,535");
    TIFF *tiff = tiff_open(&bytes, slice * volume->depth > most ? "w8" : "w", &bytes.problem);
    bool good = tiff != NULL;
    for (uint32_t z = 0; good && z < volume->depth; z++)
        good = write_page(tiff, volume, (const uint8_t *)volume->data + z * slice, row);
    if (tiff != NULL)
        TIFFClose(tiff);
    if (!good || bytes.problem.text[0] != '\0')
        good = problem_set(problem, "%s", bytes.problem.text[0] != '\0' ? bytes.problem.text : "TIFF: out of memory");
    if (good)
        good = output_write(output, bytes.data, (size_t)bytes.length, problem);
    free(bytes.data);
    return good;
}
