/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides what the main header says about a codestream, and where its parts are. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"

enum { SOD_LENGTH = 2 };

static opj_tccp_info_t *copy_coding(const struct openjp2_headers *h)
{
    opj_tccp_info_t *coding = calloc(h->count, sizeof *coding);
    for (uint32_t i = 0; coding && i < h->count; i++)
        coding[i] = h->component[i].coding;
    return coding;
}

opj_codestream_info_v2_t *opj_get_cstr_info(opj_codec_t *handle)
{
    const struct openjp2_codec *codec = openjp2_decoder_of(handle);
    const struct openjp2_headers *h = codec && codec->has_read ? &codec->headers : NULL;
    opj_codestream_info_v2_t *info = h ? calloc(1, sizeof *info) : NULL;
    if (!info)
        return NULL;
    *info = (opj_codestream_info_v2_t){.tx0 = h->tile_x,
        .ty0 = h->tile_y,
        .tdx = h->tile_width,
        .tdy = h->tile_height,
        .tw = h->columns,
        .th = h->rows,
        .nbcomps = h->count,
        .m_default_tile_info = {.csty = h->style,
            .prg = h->progression,
            .numlayers = h->layers,
            .mct = h->transform,
            .tccp_info = copy_coding(h)}};
    if (!info->m_default_tile_info.tccp_info) {
        free(info);
        return NULL;
    }
    return info;
}

void opj_destroy_cstr_info(opj_codestream_info_v2_t **info)
{
    if (!info || !*info)
        return;
    free((*info)->m_default_tile_info.tccp_info);
    free((*info)->tile_info);
    free(*info);
    *info = NULL;
}

/* List the marker segments of the main header. Returns false if out of memory. */
static bool list_markers(const struct openjp2_source *source, opj_codestream_index_t *index)
{
    struct openjp2_segment s;
    uint32_t count = 1;
    for (size_t at = 2; openjp2_segment_next(source->main, source->header, at, &s); at += s.length)
        count++;
    index->marker = calloc(count, sizeof *index->marker);
    if (!index->marker)
        return false;
    index->maxmarknum = count;
    index->marker[index->marknum++] = (opj_marker_info_t){.type = 0xFF4F, .pos = (OPJ_OFF_T)source->start, .len = 2};
    for (size_t at = 2; openjp2_segment_next(source->main, source->header, at, &s); at += s.length)
        index->marker[index->marknum++] = (opj_marker_info_t){
            .type = (unsigned short)s.marker, .pos = (OPJ_OFF_T)(source->start + at), .len = (int)s.length};
    return true;
}

/*
 * Enter a tile-part in the index of its tile. Its header ends in front of SOD, or at 0 if the tile-part was skipped.
 * Returns false without memory.
 */
static bool add_part(opj_tile_index_t *tile, const struct openjp2_part *part)
{
    opj_tp_index_t *list = realloc(tile->tp_index, (tile->nb_tps + (size_t)1) * sizeof *list);
    if (!list)
        return false;
    tile->tp_index = list;
    list[tile->nb_tps++] = (opj_tp_index_t){.start_pos = (OPJ_OFF_T)part->offset,
        .end_header = part->head > 0 ? (OPJ_OFF_T)(part->offset + part->head - SOD_LENGTH) : 0,
        .end_pos = (OPJ_OFF_T)(part->offset + part->length)};
    tile->current_nb_tps = tile->nb_tps;
    return true;
}

static bool list_tiles(const struct openjp2_codec *codec, opj_codestream_index_t *index)
{
    const struct openjp2_source *source = &codec->source;
    index->nb_of_tiles = codec->headers.columns * codec->headers.rows;
    index->tile_index = calloc(index->nb_of_tiles, sizeof *index->tile_index);
    bool fine = index->tile_index != NULL;
    for (uint32_t i = 0; fine && i < index->nb_of_tiles; i++)
        index->tile_index[i].tileno = i;
    for (size_t i = 0; fine && i < source->parts; i++)
        fine = add_part(&index->tile_index[source->part[i].tile], &source->part[i]);
    return fine;
}

opj_codestream_index_t *opj_get_cstr_index(opj_codec_t *handle)
{
    const struct openjp2_codec *codec = openjp2_decoder_of(handle);
    opj_codestream_index_t *index = codec && codec->has_read ? calloc(1, sizeof *index) : NULL;
    if (!index)
        return NULL;
    index->main_head_start = (OPJ_OFF_T)codec->source.start;
    index->main_head_end = (OPJ_OFF_T)(codec->source.start + codec->source.header);
    if (codec->source.ended)
        index->codestream_size = codec->source.next - codec->source.start;
    if (!list_markers(&codec->source, index) || !list_tiles(codec, index))
        opj_destroy_cstr_index(&index);
    return index;
}

void opj_destroy_cstr_index(opj_codestream_index_t **index)
{
    if (!index || !*index)
        return;
    for (OPJ_UINT32 i = 0; (*index)->tile_index && i < (*index)->nb_of_tiles; i++)
        free((*index)->tile_index[i].tp_index);
    free((*index)->tile_index);
    free((*index)->marker);
    free(*index);
    *index = NULL;
}
