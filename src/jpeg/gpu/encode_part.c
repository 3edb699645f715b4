/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the work of a part from the pictures to encode. */
#include "jpeg/gpu/encode_part.h"
#include "image/format.h"
#include "image/location.h"
#include "jpeg/tables/colour.h"

#include <string.h>

enum {
    PICTURE_WORDS = sizeof(struct jpeg_encode_picture) / 4,
    HEAD_WORDS = sizeof(struct jpeg_encode_work) / 4,
    TABLE_WORDS = ENCODE_CODES + ENCODE_COMPONENTS * ENCODE_QUANT,
    MOST_BLOCKS = 1 << 21, /* most blocks in a part: bits are counted in 32 bits, and a block may have 1,665 */
    EXPECTED_BLOCK = 64,   /* bytes of the stream per block for which room is made at first */
    /* Pictures in a part, of any size; there may be more of them if they are small, until they have enough blocks. */
    PART_PICTURES = 4,
    MOST_PICTURES = 512,
    ENOUGH_BLOCKS = 3 << 16, /* enough to keep a device busy, as one picture of 3840×2160 does */
    KNOWN_TABLES = 8,        /* sets of tables with which those of a picture are compared */
    TASK_PICTURES = 16       /* pictures that a thread describes at once */
};

_Static_assert(
    sizeof(struct jpeg_encode_component) == 80 && sizeof(struct jpeg_encode_picture) == 484, "as in the kernels");
_Static_assert((uint64_t)MOST_BLOCKS * 1665 < UINT32_MAX, "bits of a part");

static bool is_single(const struct jpeg_frame *frame)
{
    return frame->component_count == 1;
}

static void scan_geometry(const struct jpeg_frame *frame, struct jpeg_scan_geometry *geometry)
{
    static const uint8_t all[JPEG_COMPONENTS] = {0, 1, 2, 3};
    kst_jpeg_scan_geometry(frame, all, frame->component_count, geometry);
}

static uint64_t count_blocks(const struct jpeg_frame *frame)
{
    struct jpeg_scan_geometry geometry;
    scan_geometry(frame, &geometry);
    return (uint64_t)geometry.mcus_w * geometry.mcus_h * geometry.mcu_blocks;
}

static uint32_t divide_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static bool is_planar(const kst_image *image)
{
    return kst_format_channels(image->format) == 0;
}

bool kst_jpeg_gpu_encodes(const struct jpeg_gpu_encode_item *item)
{
    for (uint32_t i = 0; i < item->image->plane_count; i++) {
        ptrdiff_t pitch = item->image->plane[i].pitch;
        if (pitch > INT32_MAX || pitch < -INT32_MAX)
            return false;
    }
    return item->encoding->dct == KST_DCT_ACCURATE && item->encoding->coding != KST_CODING_PROGRESSIVE &&
           !item->encoding->script && count_blocks(&item->encoding->frame) <= MOST_BLOCKS;
}

uint32_t kst_jpeg_gpu_encode_share(const struct jpeg_gpu_encode_item *items, uint32_t count)
{
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        blocks += count_blocks(&items[i].encoding->frame);
        if (i > 0 && blocks > MOST_BLOCKS)
            return i;
        if (i >= PART_PICTURES && (blocks > ENOUGH_BLOCKS || i >= MOST_PICTURES))
            return i;
    }
    return count;
}

bool kst_jpeg_gpu_encode_is_gathered(uint32_t count)
{
    return count > PART_PICTURES;
}

/* Return the units of 16 bytes of the list of lengths in front of gathered streams. */
static uint32_t list_units(uint32_t count)
{
    return (count + 3) / 4;
}

/*
 * Return the most MCUs in a tile, for MCUs of `blocks` blocks. If pixels are loaded in columns of eight, each work-item
 * keeps to one column, so that a few MCUs fewer may keep more work-items busy. There is one column of MCUs more than
 * the tile has, for the MCU in front of it.
 */
static uint32_t most_mcus(const struct jpeg_frame *frame, uint32_t blocks)
{
    uint32_t most = ENCODE_BLOCKS / blocks, best = most, h = is_single(frame) ? 1 : frame->hmax;
    for (uint32_t i = most; i + 3 > most && i > 1; i--)
        if (ENCODE_BLOCKS / ((i + 1) * h) > ENCODE_BLOCKS / ((best + 1) * h))
            best = i;
    return best;
}

static void lay_out_tiles(const struct jpeg_encoding *encoding, struct jpeg_encode_picture *picture)
{
    struct jpeg_scan_geometry geometry;
    scan_geometry(&encoding->frame, &geometry);
    uint32_t interval = kst_jpeg_restart_interval(&encoding->restart, &geometry);
    uint32_t most = most_mcus(&encoding->frame, geometry.mcu_blocks);
    picture->components = encoding->frame.component_count;
    picture->mcus_w = geometry.mcus_w;
    picture->mcus = geometry.mcus_w * geometry.mcus_h;
    picture->mcu_blocks = geometry.mcu_blocks;
    picture->interval = interval > 0 && interval < picture->mcus ? interval : picture->mcus;
    picture->interval_tiles = divide_up(picture->interval, most);
    picture->tile_mcus = divide_up(picture->interval, picture->interval_tiles);
    picture->interval_tiles = divide_up(picture->interval, picture->tile_mcus);
    uint32_t intervals = picture->mcus / picture->interval, rest = picture->mcus % picture->interval;
    picture->tiles = intervals * picture->interval_tiles + divide_up(rest, picture->tile_mcus);
    picture->summed =
        picture->tiles <= ENCODE_SUMMED_TILES && (picture->interval == picture->mcus || picture->interval_tiles == 1);
}

/*
 * Return the number of blocks for which the buffer of bits has room: intervals may leave their last tiles partly empty.
 */
static uint64_t tile_blocks(const struct jpeg_encode_picture *picture)
{
    return (uint64_t)picture->tiles * picture->tile_mcus * picture->mcu_blocks;
}

static uint32_t row_bytes(const kst_image *image, uint32_t plane)
{
    uint32_t channels = is_planar(image) ? 1 : kst_format_channels(image->format);
    return image->plane[plane].width * channels;
}

/* Return the number of bytes from one row to the next of a picture that is uploaded. */
static uint32_t upload_pitch(const kst_image *image, uint32_t plane)
{
    return divide_up(row_bytes(image, plane), 16) * 16;
}

static uint64_t upload_bytes(const struct jpeg_gpu_encode_item *item)
{
    const kst_image *image = item->image;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < image->plane_count && item->source != GPU_SOURCE_DIRECT; i++)
        bytes += (uint64_t)upload_pitch(image, i) * image->plane[i].height;
    return bytes;
}

static uint32_t stream_units(uint64_t bytes)
{
    return divide_up(ENCODE_HEAD + bytes, 16);
}

struct jpeg_gpu_encode_size kst_jpeg_gpu_encode_size(const struct jpeg_gpu_encode_item *items, uint32_t count)
{
    struct jpeg_gpu_encode_size size = {.words = HEAD_WORDS + count + 1, .summed = true};
    for (uint32_t i = 0; i < count; i++) {
        struct jpeg_encode_picture picture;
        lay_out_tiles(items[i].encoding, &picture);
        uint64_t blocks = (uint64_t)picture.mcus * picture.mcu_blocks;
        size.words += PICTURE_WORDS + TABLE_WORDS;
        size.pixels += upload_bytes(&items[i]);
        if (items[i].source == GPU_SOURCE_STAGED)
            size.staged = 1;
        size.blocks += tile_blocks(&picture);
        size.tiles += picture.tiles;
        size.summed = size.summed && picture.summed;
        size.streams += (uint64_t)stream_units(blocks * EXPECTED_BLOCK) * 16;
    }
    size.staged = size.staged ? size.pixels : 0;
    size.streams += kst_jpeg_gpu_encode_is_gathered(count) ? list_units(count) * 16ULL : 0;
    return size;
}

/* Return the channel that holds colour number c (0: red or the first one). */
static uint32_t channel_of(const kst_image *image, uint32_t c)
{
    return kst_pixel_place(kst_pixel_layout(image->format), c);
}

static void weigh_copy(const kst_image *image, uint32_t c, struct jpeg_encode_component *component)
{
    component->factor[channel_of(image, c)] = 1 << 16;
}

/* Set the factors of the JFIF equations; with `invert` they apply to 255 minus the value, as for CMY. */
static void weigh_ycc(const kst_image *image, uint32_t c, bool invert, struct jpeg_encode_component *component)
{
    static const int32_t factors[3][3] = {{YCC_Y_RED, YCC_Y_GREEN, YCC_Y_BLUE}, {-YCC_CB_RED, -YCC_CB_GREEN, 32768},
        {32768, -YCC_CR_GREEN, -YCC_CR_BLUE}};
    component->addend = c == 0 ? 32768 : (128 << 16) + 32767;
    for (uint32_t i = 0; i < 3; i++) {
        component->factor[channel_of(image, i)] = invert ? -factors[c][i] : factors[c][i];
        component->addend += invert ? 255 * factors[c][i] : 0;
    }
}

static void weigh(const struct jpeg_gpu_encode_item *item, uint32_t c, struct jpeg_encode_component *component)
{
    const kst_image *image = item->image;
    kst_colour coded = item->encoding->frame.colour;
    if (image->colour == KST_COLOUR_RGB && (coded == KST_COLOUR_YCBCR || coded == KST_COLOUR_GREY))
        weigh_ycc(image, c, false, component);
    else if (image->colour == KST_COLOUR_CMYK && coded == KST_COLOUR_YCCK && c < 3)
        weigh_ycc(image, c, true, component);
    else
        weigh_copy(image, c, component);
}

/* The forward DCT leaves a factor of 8, and the divisor is kept modulo 2^16; see jpeg/cpu/dsp/quantizer.c. */
static void write_quantiser(const uint16_t quant[64], uint32_t *to)
{
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t divisor = (quant[i] * 8U) & 0xFFFF;
        to[2 * i] = divisor ? (uint32_t)(((UINT64_C(1) << 32) + divisor - 1) / divisor) : 0;
        to[2 * i + 1] = divisor / 2;
    }
}

static void write_box(const struct jpeg_frame *frame, uint32_t c, struct jpeg_encode_component *component)
{
    component->box_w = is_single(frame) ? 1U : (uint32_t)frame->hmax / frame->component[c].h;
    component->box_h = is_single(frame) ? 1U : (uint32_t)frame->vmax / frame->component[c].v;
    uint32_t area = component->box_w * component->box_h;
    bool usual = component->box_w == 2 && component->box_h <= 2;
    component->part = divide_up(1 << 16, area);
    component->alternate = usual;
    component->rounding = usual ? area / 4 : area / 2;
    component->rows = divide_up(component->height, component->box_h);
    if (!is_single(frame))
        component->rows = divide_up(component->height, frame->vmax) * frame->component[c].v;
}

static void write_component(
    const struct jpeg_gpu_encode_item *item, uint32_t c, struct jpeg_encode_component *component)
{
    const struct jpeg_frame *frame = &item->encoding->frame;
    const struct jpeg_component *from = &frame->component[c];
    component->h = is_single(frame) ? 1 : from->h;
    component->v = is_single(frame) ? 1 : from->v;
    component->blocks_w = from->blocks_w;
    component->blocks_h = from->blocks_h;
    component->table = item->encoding->huffman[c];
    component->width = item->image->plane[is_planar(item->image) ? c : 0].width;
    component->height = item->image->plane[is_planar(item->image) ? c : 0].height;
    if (item->image->format == KST_FORMAT_RAW) {
        component->box_w = component->box_h = 1;
        component->part = 1 << 16;
        component->rows = component->height;
    } else {
        write_box(frame, c, component);
    }
    weigh(item, c, component);
}

static void write_components(const struct jpeg_gpu_encode_item *item, struct jpeg_encode_picture *picture)
{
    uint32_t blocks = 0;
    for (uint32_t c = 0; c < picture->components; c++) {
        struct jpeg_encode_component *component = &picture->component[c];
        write_component(item, c, component);
        component->first_block = blocks;
        blocks += component->h * component->v;
        if (component->blocks_w != picture->mcus_w * component->h ||
            component->blocks_h != picture->mcus / picture->mcus_w * component->v)
            picture->padded = 1;
    }
}

static void set_wide(u32 *to, uint64_t value)
{
    to[0] = (uint32_t)value;
    to[1] = (uint32_t)(value >> 32);
}

static size_t pixels_place(const struct jpeg_encode_picture *picture)
{
    return (size_t)((uint64_t)picture->channel[0].offset[1] << 32 | picture->channel[0].offset[0]);
}

/*
 * Describe a channel of pixels that the kernels read where they lie. Returns whether some of its rows do not start at
 * multiples of 8 bytes.
 */
static bool write_direct(
    const struct jpeg_gpu_encode_item *item, uint32_t plane, uint32_t within, struct jpeg_encode_channel *channel)
{
    const struct gpu_image *planes = &item->planes;
    bool address = kst_memory_has_addresses(item->image->memory);
    uint64_t first = planes->offset[plane] + (address ? planes->buffer[plane].handle : 0);
    channel->pitch = (int32_t)item->image->plane[plane].pitch;
    set_wide(address ? channel->address : channel->offset, first + within);
    return first % 8 != 0 || channel->pitch % 8 != 0;
}

/*
 * Describe the channels of a picture. If its pixels are uploaded, they begin at byte `pixels` of the buffer of pixels.
 */
static void write_channels(
    const struct jpeg_gpu_encode_item *item, uint64_t pixels, struct jpeg_encode_picture *picture)
{
    const kst_image *image = item->image;
    uint32_t channels = is_planar(image) ? image->plane_count : kst_format_channels(image->format);
    picture->ragged = 0;
    for (uint32_t i = 0; i < channels && i < 4; i++) {
        uint32_t plane = is_planar(image) ? i : 0, within = is_planar(image) ? 0 : i;
        struct jpeg_encode_channel *channel = &picture->channel[i];
        channel->step = is_planar(image) ? 1 : channels;
        if (item->source == GPU_SOURCE_DIRECT) {
            picture->ragged |= write_direct(item, plane, within, channel);
            continue;
        }
        channel->pitch = (int32_t)upload_pitch(image, plane);
        set_wide(channel->offset, pixels + within);
        pixels += is_planar(image) ? (uint64_t)upload_pitch(image, plane) * image->plane[plane].height : 0;
    }
}

static enum jpeg_encode_loading choose_loading(
    const struct jpeg_gpu_encode_item *item, const struct jpeg_encode_picture *picture)
{
    const kst_image *image = item->image;
    const struct jpeg_encode_component *c = picture->component;
    bool alike = c[1].box_w == c[2].box_w && c[1].box_h == c[2].box_h && c[1].h == c[2].h && c[1].v == c[2].v;
    bool boxes = c[0].box_w == 1 && c[0].box_h == 1 && c[1].box_w <= 4 && c[1].box_w != 3 && c[1].box_h <= 2;
    if (is_planar(image) || image->colour != KST_COLOUR_RGB || item->encoding->frame.colour != KST_COLOUR_YCBCR ||
        !alike || !boxes)
        return ENCODE_BY_SAMPLE;
    return kst_pixel_layout(image->format)->reversed ? ENCODE_BY_BGR : ENCODE_BY_RGB;
}

/* Return 1 + the only channel from which a component's samples are copied unchanged; 0 if there is no such channel. */
static u32 find_plain(const struct jpeg_encode_component *component, const struct jpeg_encode_channel *channel)
{
    u32 plain = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (component->factor[i] != 0)
            plain = plain == 0 && component->factor[i] == 1 << 16 && channel[i].step == 1 ? i + 1 : 5;
    return plain <= 4 && component->addend == 0 && component->box_w == 1 && component->box_h == 1 ? plain : 0;
}

/* Holds the sets of tables of a part that are compared with those of the next pictures: the first few. */
struct known_tables {
    const struct jpeg_encoding *of[KNOWN_TABLES];
    uint32_t codes[KNOWN_TABLES];
    uint32_t count;
    uint32_t next; /* offset of the next set in the work */
};

/* Return whether two pictures have the same quantisers and, because they have the standard ones, the same codes. */
static bool share_tables(const struct jpeg_encoding *a, const struct jpeg_encoding *b)
{
    bool same = a->coding == KST_CODING_BASELINE && b->coding == KST_CODING_BASELINE &&
                a->frame.component_count == b->frame.component_count;
    for (uint32_t c = 0; c < a->frame.component_count && same; c++)
        same =
            memcmp(a->frame.component[c].quant, b->frame.component[c].quant, sizeof a->frame.component[c].quant) == 0;
    return same;
}

/* Return the offset of a picture's tables: those of an earlier picture if they are the same, otherwise its own. */
static uint32_t place_tables(const struct jpeg_encoding *encoding, struct known_tables *known, uint32_t *work)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (share_tables(known->of[i], encoding))
            return known->codes[i];
    uint32_t codes = known->next, *quant = work + codes + ENCODE_CODES;
    for (uint32_t c = 0; c < encoding->frame.component_count; c++)
        write_quantiser(encoding->frame.component[c].quant, quant + (size_t)c * ENCODE_QUANT);
    known->next += TABLE_WORDS;
    if (known->count == KNOWN_TABLES)
        return codes;
    known->of[known->count] = encoding;
    known->codes[known->count++] = codes;
    return codes;
}

/* Holds the pictures of a part that threads describe. */
struct description {
    const struct jpeg_gpu_encode_item *items;
    uint32_t count;
    uint32_t *work;
};

/* Complete the description of a picture. If its pixels are uploaded, its first channel says on entry where they lie. */
static void describe_picture(const struct jpeg_gpu_encode_item *item, struct jpeg_encode_picture *picture)
{
    uint64_t pixels = pixels_place(picture);
    set_wide(picture->channel[0].offset, 0);
    write_components(item, picture);
    write_channels(item, pixels, picture);
    picture->loading = choose_loading(item, picture);
    for (uint32_t c = 0; c < picture->components; c++)
        picture->component[c].plain = find_plain(&picture->component[c], picture->channel);
}

static void describe_pictures(void *arg, uint32_t index)
{
    const struct description *description = arg;
    uint32_t first = index * TASK_PICTURES, left = description->count - first;
    for (uint32_t i = first; i < first + (left < TASK_PICTURES ? left : TASK_PICTURES); i++)
        describe_picture(&description->items[i], kst_jpeg_gpu_encode_picture(description->work, i));
}

uint32_t kst_jpeg_gpu_encode_work(
    const struct jpeg_gpu_encode_item *items, uint32_t count, struct pool *threads, uint32_t *work)
{
    struct jpeg_encode_work *head = (struct jpeg_encode_work *)work;
    struct description description = {items, count, work};
    uint32_t list = HEAD_WORDS + count * PICTURE_WORDS, tiles = 0;
    struct known_tables known = {.next = list + count + 1};
    uint64_t pixels = 0, blocks = 0, streams = 0;
    *head = (struct jpeg_encode_work){
        .pictures = count, .picture = HEAD_WORDS, .tiles = list, .gathered = kst_jpeg_gpu_encode_is_gathered(count)};
    for (uint32_t i = 0; i < count; i++) {
        struct jpeg_encode_picture *picture = kst_jpeg_gpu_encode_picture(work, i);
        memset(picture, 0, sizeof *picture);
        lay_out_tiles(items[i].encoding, picture);
        picture->codes = place_tables(items[i].encoding, &known, work);
        picture->quant = picture->codes + ENCODE_CODES;
        picture->bits = (uint32_t)(blocks * ENCODE_BLOCK_WORDS);
        picture->stream = (uint32_t)streams;
        picture->capacity = picture->mcus * picture->mcu_blocks * EXPECTED_BLOCK;
        set_wide(picture->channel[0].offset, pixels);
        work[list + i] = tiles;
        tiles += picture->tiles;
        blocks += tile_blocks(picture);
        pixels += upload_bytes(&items[i]);
        streams += stream_units(picture->capacity);
    }
    work[list + count] = head->count = tiles;
    head->room = list_units(count) + (uint32_t)streams;
    kst_pool_run(threads, divide_up(count, TASK_PICTURES), describe_pictures, &description);
    return known.next;
}

static void stage(const struct jpeg_gpu_encode_item *item, uint8_t *to)
{
    for (uint32_t i = 0; i < item->image->plane_count; i++) {
        const kst_plane *plane = &item->image->plane[i];
        for (uint32_t y = 0; y < plane->height; y++, to += upload_pitch(item->image, i))
            memcpy(to, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, row_bytes(item->image, i));
    }
}

static void copy(
    struct gpu_queue *queue, const struct jpeg_gpu_encode_item *item, const struct gpu_buffer *pixels, size_t to)
{
    for (uint32_t i = 0; i < item->image->plane_count; i++) {
        const kst_plane *plane = &item->image->plane[i];
        struct gpu_rows there = {pixels, to, upload_pitch(item->image, i)};
        kst_gpu_plane_read(queue, there, item->image, &item->planes, i);
        to += there.pitch * plane->height;
    }
}

void kst_jpeg_gpu_encode_upload(struct gpu_queue *queue, const struct jpeg_gpu_encode_item *items, uint32_t count,
    uint32_t *work, const struct gpu_buffer *staging, const struct gpu_buffer *pixels)
{
    size_t first = SIZE_MAX, end = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t place = pixels_place(kst_jpeg_gpu_encode_picture(work, i));
        if (items[i].source != GPU_SOURCE_STAGED)
            continue;
        stage(&items[i], staging->host + place);
        first = place < first ? place : first;
        end = place + (size_t)upload_bytes(&items[i]);
    }
    if (end > 0)
        queue->gpu->backend->copy(queue, pixels, first, staging, first, end - first);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].source == GPU_SOURCE_COPIED)
            copy(queue, &items[i], pixels, pixels_place(kst_jpeg_gpu_encode_picture(work, i)));
}

static void write_codes(const struct jpeg_huffman *huffman, uint32_t count, uint32_t *to)
{
    struct jpeg_huffman_codes codes;
    kst_jpeg_huffman_derive_codes(huffman, &codes);
    for (uint32_t i = 0; i < count; i++)
        to[i] = codes.length[i] ? (uint32_t)codes.code[i] << (32 - codes.length[i]) | codes.length[i] : 0;
}

void kst_jpeg_gpu_encode_codes(uint32_t *work, const struct jpeg_encode_picture *picture, uint32_t destination,
    const struct jpeg_huffman *dc, const struct jpeg_huffman *ac)
{
    uint32_t *to = work + picture->codes + destination * (ENCODE_DC_CODES + ENCODE_AC_CODES);
    write_codes(dc, ENCODE_DC_CODES, to);
    write_codes(ac, ENCODE_AC_CODES, to + ENCODE_DC_CODES);
}

uint64_t kst_jpeg_gpu_encode_memory(const struct jpeg_gpu_encode_item *item)
{
    struct jpeg_gpu_encode_size size = kst_jpeg_gpu_encode_size(item, 1);
    return size.pixels + size.staged + size.blocks * ENCODE_BLOCK_WORDS * 4 + 2 * size.streams;
}

uint64_t kst_jpeg_gpu_encode_places(const uint32_t *length, uint32_t count, uint64_t *place)
{
    uint64_t units = list_units(count);
    for (uint32_t i = 0; i < count; i++) {
        place[i] = units * 16;
        units += divide_up(length[i], 16);
    }
    return units * 16;
}

uint64_t kst_jpeg_gpu_encode_room(uint32_t *work, uint32_t count, const uint32_t *length)
{
    struct jpeg_encode_work *head = (struct jpeg_encode_work *)work;
    uint32_t units = head->gathered ? list_units(count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct jpeg_encode_picture *picture = kst_jpeg_gpu_encode_picture(work, i);
        picture->stream = units;
        picture->capacity = length[i];
        units += stream_units(length[i]);
    }
    head->room = units;
    return (uint64_t)units * 16;
}

struct jpeg_encode_picture *kst_jpeg_gpu_encode_picture(uint32_t *work, uint32_t index)
{
    return (struct jpeg_encode_picture *)(work + HEAD_WORDS) + index;
}
