/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs blocks of coefficients and sets them aside in tiles. A packed block is a mask of its coefficients that are not
 * zero, in raster order from the lowest bit on, and then these, 16 bits each.
 */
#include "jpeg/cpu/store.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    MASK_BYTES = 8,
    PACKED_MOST = MASK_BYTES + 64 * 2,
    BLOCK_BYTES = 64 * 2,
    ROW_BYTES = 1 << 18,    /* bytes of coefficients in a row of tiles, if tiles are read by rows */
    BAND_BYTES = 1 << 23,   /* bytes of coefficients in a row of tiles, if tiles are read by columns */
    BAND_LEAST = 8,         /* least number of MCU rows in a row of tiles that are read by columns */
    ROWS_MOST = 64,         /* greatest number of MCU rows in a row of tiles */
    COLUMN_BYTES = 1 << 24, /* bytes of coefficients in the columns of tiles that all threads together read */
    COLUMN_LEAST = 1 << 20, /* least number of these bytes for each thread */
    /* Either of them, a row of tiles or all threads' columns, takes at most 1/SHARE of the memory that is left. */
    SHARE = 8
};

/* Return the bit mask of the coefficients that are not zero. */
static uint64_t mask_of(const int16_t *block)
{
    uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128();
    for (uint32_t i = 0; i < 64; i += 16) {
        __m128i a = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *)(const void *)(block + i)), zero);
        __m128i b = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *)(const void *)(block + i + 8)), zero);
        mask |= (uint64_t)(0xFFFF & ~(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b))) << i;
    }
#else
    for (uint32_t i = 0; i < 64; i++)
        mask |= (uint64_t)(block[i] != 0) << i;
#endif
    return mask;
}

/* Pack a block. There is room for PACKED_MOST bytes. Returns the place behind it. */
static uint8_t *pack(const int16_t *block, uint8_t *out)
{
    uint64_t mask = mask_of(block);
    memcpy(out, &mask, MASK_BYTES);
    for (out += MASK_BYTES; mask != 0; mask &= mask - 1, out += sizeof *block)
        memcpy(out, &block[__builtin_ctzll(mask)], sizeof *block);
    return out;
}

/* Unpack a block. Returns the place behind it. At most PACKED_MOST bytes are read. */
static const uint8_t *unpack(const uint8_t *from, int16_t *block)
{
    uint64_t mask;
    memset(block, 0, BLOCK_BYTES);
    memcpy(&mask, from, MASK_BYTES);
    for (from += MASK_BYTES; mask != 0; mask &= mask - 1, from += sizeof *block)
        memcpy(&block[__builtin_ctzll(mask)], from, sizeof *block);
    return from;
}

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Choose the size of tiles that are read by columns. Each thread may have a column of them in memory. */
static void choose_columns(struct jpeg_store *store, uint32_t threads, uint64_t row, uint64_t column)
{
    const uint64_t left = kst_memory_left(store->memory) / SHARE;
    uint64_t bytes = clamp(COLUMN_BYTES / threads, COLUMN_LEAST, COLUMN_BYTES), band = BAND_BYTES;
    bytes = bytes < left / threads ? bytes : left / threads;
    band = band < left ? band : left;
    store->tile_w = clamp(bytes / column, 1, store->frame->mcus_w);
    store->tile_h = clamp(band / row, BAND_LEAST, ROWS_MOST);
}

static void choose_tiles(struct jpeg_store *store, uint32_t threads)
{
    const struct jpeg_frame *frame = store->frame;
    uint64_t mcu = (uint64_t)frame->component[0].h * frame->component[0].v * BLOCK_BYTES;
    for (uint32_t i = 1; i < frame->component_count; i++)
        mcu += (uint64_t)frame->component[i].h * frame->component[i].v * BLOCK_BYTES;
    store->tile_w = frame->mcus_w;
    store->tile_h = clamp(ROW_BYTES / (mcu * frame->mcus_w), 1, ROWS_MOST);
    if (store->columns)
        choose_columns(store, threads, mcu * frame->mcus_w, mcu * frame->mcus_h);
    store->tiles_w = (frame->mcus_w - 1) / store->tile_w + 1;
    store->tiles_h = (frame->mcus_h - 1) / store->tile_h + 1;
}

/* Return the number of entries for a row of tiles. */
static size_t entries(const struct jpeg_store *store)
{
    return (size_t)store->tiles_w * store->frame->component_count;
}

kst_status kst_jpeg_cpu_store_create(const struct operation *op, const struct jpeg_frame *frame, bool columns,
    struct spill *spill, struct jpeg_store *store)
{
    kst_status status = KST_OK;
    *store = (struct jpeg_store){.frame = frame, .memory = op->memory, .spill = spill, .columns = columns};
    choose_tiles(store, kst_pool_threads(op->pool));
    store->offset = kst_memory_array(op->memory, store->tiles_h, sizeof *store->offset, &status);
    if (!status)
        store->end = kst_memory_array(op->memory, entries(store) * store->tiles_h, sizeof *store->end, &status);
    if (!status)
        store->open = kst_memory_zeroed(op->memory, entries(store), sizeof *store->open, &status);
    if (status)
        kst_jpeg_cpu_store_release(store);
    return status;
}

static void release_open(struct jpeg_store *store)
{
    for (size_t i = 0; store->open && i < entries(store); i++)
        kst_memory_release(store->memory, store->open[i].data);
    kst_memory_release(store->memory, store->open);
    store->open = NULL;
}

void kst_jpeg_cpu_store_release(struct jpeg_store *store)
{
    release_open(store);
    kst_memory_release(store->memory, store->end);
    kst_memory_release(store->memory, store->offset);
    store->end = NULL;
    store->offset = NULL;
}

static kst_status make_room(struct jpeg_store *store, struct jpeg_packed *packed, size_t length)
{
    kst_status status = KST_OK;
    if (length <= packed->capacity - packed->length)
        return KST_OK;
    size_t capacity = packed->length + length + packed->length / 2;
    uint8_t *data = kst_memory_grow(store->memory, packed->data, packed->length, capacity, &status);
    if (!data)
        return status;
    packed->data = data;
    packed->capacity = capacity;
    return KST_OK;
}

/* Pack the blocks of one component that an MCU row of a tile has. */
static kst_status pack_row(
    struct jpeg_store *store, const struct jpeg_coefficients *row, uint32_t tile_x, uint32_t component)
{
    const struct jpeg_component *c = &store->frame->component[component];
    struct jpeg_packed *packed = &store->open[tile_x * store->frame->component_count + component];
    const uint32_t from = tile_x * store->tile_w, to = smaller(from + store->tile_w, store->frame->mcus_w);
    kst_status status = make_room(store, packed, (size_t)(to - from) * c->h * c->v * PACKED_MOST);
    if (status)
        return status;
    uint8_t *out = packed->data + packed->length;
    for (uint32_t y = 0; y < c->v; y++)
        for (uint32_t x = from * c->h; x < to * c->h; x++)
            out = pack(kst_jpeg_block(row, component, x, y), out);
    packed->length = (size_t)(out - packed->data);
    return KST_OK;
}

/* Set the tiles of a complete row of tiles aside. */
static kst_status put_tiles(struct jpeg_store *store, uint32_t tile_y)
{
    uint32_t *end = store->end + entries(store) * tile_y;
    uint32_t length = 0;
    for (size_t i = 0; i < entries(store); i++) {
        struct jpeg_packed *packed = &store->open[i];
        uint64_t offset;
        kst_status status = kst_spill_put(store->spill, packed->data, packed->length, &offset);
        if (status)
            return status;
        if (i == 0)
            store->offset[tile_y] = offset;
        length += (uint32_t)packed->length;
        end[i] = length;
        packed->length = 0;
    }
    return KST_OK;
}

kst_status kst_jpeg_cpu_store_add(struct jpeg_store *store, const struct jpeg_coefficients *row)
{
    kst_status status = KST_OK;
    for (uint32_t x = 0; !status && x < store->tiles_w; x++)
        for (uint32_t i = 0; !status && i < store->frame->component_count; i++)
            status = pack_row(store, row, x, i);
    store->rows++;
    bool whole = store->rows % store->tile_h == 0 || store->rows == store->frame->mcus_h;
    if (!status && whole)
        status = put_tiles(store, (store->rows - 1) / store->tile_h);
    if (store->rows == store->frame->mcus_h)
        release_open(store);
    return status;
}

enum { NOTHING = UINT32_MAX };

kst_status kst_jpeg_cpu_store_reader_open(
    const struct jpeg_store *store, uint32_t components, struct jpeg_store_reader *reader)
{
    const struct jpeg_frame *frame = store->frame;
    *reader = (struct jpeg_store_reader){.store = store, .components = components, .at = NOTHING};
    return kst_jpeg_coefficients_create_part(store->memory, frame, store->columns ? store->tile_w : frame->mcus_w,
        store->columns ? frame->mcus_h : store->tile_h, &reader->strip.coefficients);
}

void kst_jpeg_cpu_store_reader_close(struct jpeg_store_reader *reader)
{
    kst_memory_release(reader->store->memory, reader->packed);
    kst_jpeg_coefficients_release(reader->store->memory, &reader->strip.coefficients);
}

/*
 * Fetch `length` bytes of packed blocks. Behind them is room for another block, which unpack() may read if the bytes
 * are not those that were set aside.
 */
static kst_status fetch(struct jpeg_store_reader *reader, uint64_t offset, size_t length)
{
    struct memory *memory = reader->store->memory;
    kst_status status = KST_OK;
    if (length > reader->capacity) {
        kst_memory_release(memory, reader->packed);
        reader->capacity = 0;
        reader->packed = kst_memory_zeroed(memory, length + PACKED_MOST, 1, &status);
        if (status)
            return status;
        reader->capacity = length;
    }
    return kst_spill_fetch(reader->store->spill, offset, reader->packed, length);
}

/* Unpack one component of a tile. Returns false if the bytes are not those that were set aside. */
static bool unpack_tile(
    struct jpeg_store_reader *reader, uint32_t tile_x, uint32_t tile_y, uint32_t component, size_t length)
{
    const struct jpeg_store *store = reader->store;
    const struct jpeg_component *c = &store->frame->component[component];
    const uint32_t from_x = tile_x * store->tile_w, from_y = tile_y * store->tile_h;
    const uint32_t w = smaller(store->tile_w, store->frame->mcus_w - from_x) * c->h;
    const uint32_t h = smaller(store->tile_h, store->frame->mcus_h - from_y) * c->v;
    const uint32_t x = (from_x - reader->strip.first_x) * c->h, y = (from_y - reader->strip.first_y) * c->v;
    const uint8_t *next = reader->packed, *end = next + length;
    for (uint32_t j = 0; j < h; j++)
        for (uint32_t i = 0; i < w && next < end; i++)
            next = unpack(next, kst_jpeg_block(&reader->strip.coefficients, component, x + i, y + j));
    return next == end;
}

static kst_status read_tile(struct jpeg_store_reader *reader, uint32_t tile_x, uint32_t tile_y)
{
    const struct jpeg_store *store = reader->store;
    const uint32_t *ends = store->end + entries(store) * tile_y;
    for (uint32_t i = 0; i < store->frame->component_count; i++) {
        const size_t entry = (size_t)tile_x * store->frame->component_count + i;
        const uint32_t start = entry > 0 ? ends[entry - 1] : 0, length = ends[entry] - start;
        if (!(reader->components >> i & 1))
            continue;
        kst_status status = fetch(reader, store->offset[tile_y] + start, length);
        if (status)
            return status;
        if (!unpack_tile(reader, tile_x, tile_y, i, length))
            return KST_ERROR_WRITE;
    }
    return KST_OK;
}

kst_status kst_jpeg_cpu_store_read(struct jpeg_store_reader *reader, uint32_t index)
{
    const struct jpeg_store *store = reader->store;
    const uint32_t at = index / (store->columns ? store->tile_w : store->tile_h);
    kst_status status = KST_OK;
    if (at == reader->at)
        return KST_OK;
    reader->at = NOTHING;
    reader->strip.first_x = store->columns ? at * store->tile_w : 0;
    reader->strip.first_y = store->columns ? 0 : at * store->tile_h;
    for (uint32_t i = 0; !status && i < (store->columns ? store->tiles_h : store->tiles_w); i++)
        status = store->columns ? read_tile(reader, at, i) : read_tile(reader, i, at);
    if (!status)
        reader->at = at;
    return status;
}
