/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts boxes with palettes, component mappings and channel definitions in front of codestreams, and prints what
 * OpenJPEG's interface makes of them: openjp2_channels FILE… also prints where the parts of these files lie. The output
 * is the same with OpenJPEG and with the library in its place.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compat/memory_stream.h"

enum { SIDE = 40, ROOM = 1 << 20, NONE = 0, DEPTH_16 = 15, DEPTH_SIGNED = 0x87, WHOLE = 65535 };

static uint8_t room[3][ROOM];
static struct bytes stream_1 = {.data = room[0], .room = ROOM}, stream_3 = {.data = room[1], .room = ROOM},
                    file = {.data = room[2], .room = ROOM};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *user)
{
    struct bytes *b = user;
    const size_t left = b->length - b->at;
    b->at += (size_t)count < left ? (size_t)count : left;
    return count;
}

static opj_stream_t *open_stream(struct bytes *bytes, OPJ_BOOL reads)
{
    opj_stream_t *stream = memory_stream_open(bytes, reads);
    opj_stream_set_skip_function(stream, skip);
    return stream;
}

/* Encode components without loss whose samples are small numbers, in four tiles. */
static void make_stream(struct bytes *to, OPJ_UINT32 components)
{
    opj_image_cmptparm_t one = {.dx = 1, .dy = 1, .w = SIDE, .h = SIDE, .prec = 8};
    opj_image_cmptparm_t all[] = {one, one, one, one};
    opj_image_t *image = opj_image_create(components, all, OPJ_CLRSPC_GRAY);
    opj_cparameters_t parameters;
    image->x1 = image->y1 = SIDE;
    for (OPJ_UINT32 c = 0; c < components; c++)
        for (OPJ_UINT32 i = 0; i < SIDE * SIDE; i++)
            image->comps[c].data[i] = (OPJ_INT32)((i * 7 + i / SIDE + c * 3) % 9);
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    parameters.tile_size_on = OPJ_TRUE;
    parameters.cp_tdx = parameters.cp_tdy = SIDE / 2;
    parameters.numresolution = 2;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = open_stream(to, OPJ_FALSE);
    if (!opj_setup_encoder(codec, &parameters, image) || !opj_start_compress(codec, image, stream) ||
        !opj_encode(codec, stream) || !opj_end_compress(codec, stream))
        fail("a codestream could not be made");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

static void put(const void *bytes, size_t length)
{
    memcpy(file.data + file.length, bytes, length);
    file.length += length;
}

static void put_number(uint32_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0;)
        file.data[file.length++] = (uint8_t)(value >> 8 * i);
}

/* Begin a box. Returns its place, for end_box(). */
static size_t begin_box(const char *name)
{
    size_t place = file.length;
    put_number(0, 4);
    put(name, 4);
    return place;
}

static void end_box(size_t place)
{
    size_t length = file.length;
    file.length = place;
    put_number((uint32_t)(length - place), 4);
    file.length = length;
}

/* What the boxes say of the channels. */
struct channels {
    const char *name;
    struct bytes *stream;
    uint32_t components;
    uint32_t entries, columns; /* of the palette; none: there is none */
    uint8_t depth[4];          /* of its columns; 0: 8 bits */
    const char *mapping;       /* component, kind and column for each channel, as digits; null: no box */
    bool mapping_first;        /* in front of the palette */
    uint16_t definition[4][3]; /* channel, kind, association */
    uint32_t definitions;
    uint32_t flags;
};

static const struct channels cases[] = {
    {"three columns", &stream_1, 1, 9, 3, {0}, "010011012", .flags = NONE},
    {"one column", &stream_1, 1, 9, 1, {0}, "010", .flags = NONE},
    {"few entries", &stream_1, 1, 4, 3, {0}, "010011012", .flags = NONE},
    {"16 bits and signs", &stream_1, 1, 9, 3, {DEPTH_16, DEPTH_SIGNED, 4}, "010011012", .flags = NONE},
    {"columns in another order", &stream_1, 1, 9, 3, {0}, "012010011", .flags = NONE},
    {"columns in another order of other depths", &stream_1, 1, 9, 3, {DEPTH_16, DEPTH_SIGNED, 4}, "012010011",
        .flags = NONE},
    {"a column left out", &stream_1, 1, 9, 3, {0}, "010010012", .flags = NONE},
    {"a component as it is", &stream_3, 3, 9, 3, {0}, "000111200", .flags = NONE},
    {"columns of three components", &stream_3, 3, 9, 3, {0}, "210011112", .flags = NONE},
    {"a component that is not there", &stream_1, 1, 9, 3, {0}, "010111012", .flags = NONE},
    {"a column that is not there", &stream_1, 1, 9, 3, {0}, "010011017", .flags = NONE},
    {"a kind that is not there", &stream_1, 1, 9, 3, {0}, "020011012", .flags = NONE},
    {"the palette left out", &stream_1, 1, 9, 3, {0}, "000000000", .flags = NONE},
    {"no mapping", &stream_1, 1, 9, 3, {0}, NULL, .flags = NONE},
    {"the mapping first", &stream_1, 1, 9, 3, {0}, "010011012", .mapping_first = true},
    {"blue first", &stream_1, 1, 9, 3, {0}, "010011012", false, {{0, 0, 3}, {1, 0, 2}, {2, 0, 1}}, 3, NONE},
    {"alpha in a palette", &stream_1, 1, 9, 4, {0}, "010011012013", false, {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {3, 1, 0}},
        4, NONE},
    {"alpha first", &stream_1, 1, 9, 4, {0}, "010011012013", false, {{0, 1, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 3}}, 4,
        NONE},
    {"blue first without a palette", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 3}, {1, 0, 2}, {2, 0, 1}}, 3, NONE},
    {"turned", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 2}, {1, 0, 3}, {2, 0, 1}}, 3, NONE},
    {"turned, said in another order", &stream_3, 3, 0, 0, {0}, NULL, false, {{2, 0, 1}, {0, 0, 2}, {1, 0, 3}}, 3, NONE},
    {"premultiplied alpha of a colour", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 1}, {1, 0, 2}, {2, 2, 2}}, 3,
        NONE},
    {"unassociated", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 1}, {1, WHOLE, WHOLE}, {2, 1, WHOLE}}, 3, NONE},
    {"a channel that is not there", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 1}, {1, 0, 2}, {7, 0, 3}}, 3, NONE},
    {"a colour that is not there", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 1}, {1, 0, 2}, {2, 0, 9}}, 3, NONE},
    {"a channel without a definition", &stream_3, 3, 0, 0, {0}, NULL, false, {{0, 0, 1}, {1, 0, 2}}, 2, NONE},
    {"passed over", &stream_1, 1, 9, 3, {0}, "010011012", false, {{0, 0, 3}, {1, 0, 2}, {2, 0, 1}}, 3,
        OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG},
};

static void put_palette(const struct channels *c)
{
    size_t box = begin_box("pclr");
    put_number(c->entries, 2);
    put_number(c->columns, 1);
    for (uint32_t i = 0; i < c->columns; i++)
        put_number(c->depth[i] ? c->depth[i] : 7, 1);
    for (uint32_t i = 0; i < c->entries * c->columns; i++) {
        const bool is_long = c->depth[i % c->columns] == DEPTH_16;
        put_number(is_long ? i * 1777 : i * 37 % (c->depth[i % c->columns] ? 127 : 251), is_long ? 2 : 1);
    }
    end_box(box);
}

static void put_mapping(const struct channels *c)
{
    size_t box = begin_box("cmap");
    for (size_t i = 0; c->mapping[i]; i += 3) {
        put_number((uint32_t)(c->mapping[i] - '0'), 2);
        put_number((uint32_t)(c->mapping[i + 1] - '0'), 1);
        put_number((uint32_t)(c->mapping[i + 2] - '0'), 1);
    }
    end_box(box);
}

static void put_definitions(const struct channels *c)
{
    size_t box = begin_box("cdef");
    put_number(c->definitions, 2);
    for (uint32_t i = 0; i < c->definitions; i++)
        for (int k = 0; k < 3; k++)
            put_number(c->definition[i][k], 2);
    end_box(box);
}

static void put_header(const struct channels *c)
{
    size_t box = begin_box("jp2h"), part = begin_box("ihdr");
    put_number(SIDE, 4);
    put_number(SIDE, 4);
    put_number(c->components, 2);
    put("\7\7\0\0", 4);
    end_box(part);
    part = begin_box("colr");
    put("\1\0\0\0\0\0\20", 7); /* sRGB */
    end_box(part);
    if (c->mapping && c->mapping_first)
        put_mapping(c);
    if (c->columns)
        put_palette(c);
    if (c->mapping && !c->mapping_first)
        put_mapping(c);
    if (c->definitions)
        put_definitions(c);
    end_box(box);
}

static void make_file(const struct channels *c)
{
    static const uint8_t front[] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 13, 10, 0x87, 10, 0, 0, 0, 20, 'f', 't', 'y', 'p',
        'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' '};
    file.length = 0;
    put(front, sizeof front);
    put_header(c);
    size_t box = begin_box("jp2c");
    put(c->stream->data, c->stream->length);
    end_box(box);
}

static void print_image(const opj_image_t *image)
{
    printf("  %u to %u, %u to %u, colours %d\n", image->x0, image->x1, image->y0, image->y1, image->color_space);
    for (OPJ_UINT32 c = 0; c < image->numcomps; c++) {
        const opj_image_comp_t *comp = &image->comps[c];
        uint32_t sum = 0;
        for (OPJ_UINT32 i = 0; i < comp->w * comp->h; i++)
            sum = sum * 31 + (uint32_t)comp->data[i];
        printf("  %ux%u at %u,%u, %u bits, signed %u, alpha %u, %d … %u\n", comp->w, comp->h, comp->x0, comp->y0,
            comp->prec, comp->sgnd, comp->alpha, comp->data[1], sum);
    }
}

static opj_codec_t *open_file(OPJ_CODEC_FORMAT format, OPJ_UINT32 flags, opj_stream_t *stream, opj_image_t **image)
{
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    parameters.flags = flags;
    opj_codec_t *codec = opj_create_decompress(format);
    *image = NULL;
    if (!opj_setup_decoder(codec, &parameters) || !opj_read_header(stream, codec, image))
        *image = NULL;
    return codec;
}

/* Decode the whole, an area, or a tile. */
static void print_case(const struct channels *c, int way)
{
    opj_image_t *image;
    opj_stream_t *stream = open_stream(&file, OPJ_TRUE);
    opj_codec_t *codec = open_file(OPJ_CODEC_JP2, c->flags, stream, &image);
    bool fine = image != NULL;
    if (fine && way == 2)
        fine = opj_get_decoded_tile(codec, stream, image, 3);
    else if (fine)
        fine = (way == 0 || opj_set_decode_area(codec, image, 5, 7, 30, 33)) && opj_decode(codec, stream, image);
    printf("%s, %d: %s\n", c->name, way, fine ? "decoded" : image ? "an error" : "an error in the header");
    if (fine)
        print_image(image);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
}

static void print_information(opj_codec_t *codec)
{
    opj_codestream_info_v2_t *info = opj_get_cstr_info(codec);
    const opj_tile_info_v2_t *tile = &info->m_default_tile_info;
    printf("  tiles of %ux%u from %u,%u, %ux%u; %u components, csty %u, order %d, %u layers, mct %u\n", info->tdx,
        info->tdy, info->tx0, info->ty0, info->tw, info->th, info->nbcomps, tile->csty, tile->prg, tile->numlayers,
        tile->mct);
    for (OPJ_UINT32 i = 0; i < info->nbcomps; i++) {
        const opj_tccp_info_t *c = &tile->tccp_info[i];
        printf("  %u: %u %u %u %u %u %u %u %u %d, %u,%u", i, c->csty, c->numresolutions, c->cblkw, c->cblkh, c->cblksty,
            c->qmfbid, c->qntsty, c->numgbits, c->roishift, c->prcw[0], c->prch[0]);
        for (OPJ_UINT32 b = 0; b < (c->qntsty == 1 ? 1 : 3 * c->numresolutions - 2); b++)
            printf(" %u:%u", c->stepsizes_mant[b], c->stepsizes_expn[b]);
        printf("\n");
    }
    opj_destroy_cstr_info(&info);
}

static void print_index(opj_codec_t *codec)
{
    opj_codestream_index_t *index = opj_get_cstr_index(codec);
    if (!index)
        fail("there is no index");
    printf("  %lld to %lld, %u tiles;", (long long)index->main_head_start, (long long)index->main_head_end,
        index->nb_of_tiles);
    for (OPJ_UINT32 i = 0; i < index->marknum; i++)
        printf(" %x %lld %d", index->marker[i].type, (long long)index->marker[i].pos, index->marker[i].len);
    printf("\n");
    for (OPJ_UINT32 i = 0; index->tile_index && i < index->nb_of_tiles; i++) {
        const opj_tile_index_t *tile = &index->tile_index[i];
        printf("  tile %u:", i);
        for (OPJ_UINT32 p = 0; tile->tp_index && p < tile->nb_tps; p++)
            printf(" %lld %lld %lld", (long long)tile->tp_index[p].start_pos, (long long)tile->tp_index[p].end_header,
                (long long)tile->tp_index[p].end_pos);
        printf("\n");
    }
    opj_destroy_cstr_index(&index);
}

/*
 * What is known of a file when its header has been read, and of its parts when it has been decoded: before, OpenJPEG
 * has no index, and of precincts its information has no more than the first.
 */
static void print_file(const char *path)
{
    FILE *from = fopen(path, "rb");
    if (!from)
        fail(path);
    file.length = fread(file.data, 1, ROOM, from);
    fclose(from);
    opj_image_t *image;
    opj_stream_t *stream = open_stream(&file, OPJ_TRUE);
    opj_codec_t *codec = open_file(file.data[0] == 0xFF ? OPJ_CODEC_J2K : OPJ_CODEC_JP2, NONE, stream, &image);
    printf("%s\n", path);
    if (image) {
        print_information(codec);
        if (opj_decode(codec, stream, image))
            print_index(codec);
    }
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
}

int main(int argc, char **argv)
{
    make_stream(&stream_1, 1);
    make_stream(&stream_3, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_file(&cases[i]);
        for (int way = 0; way < 3; way++)
            print_case(&cases[i], way);
    }
    for (int i = 1; i < argc; i++)
        print_file(argv[i]);
    return 0;
}
