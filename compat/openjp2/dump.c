/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what the main header says, in the format of OpenJPEG's opj_dump, because programs compare its lines. */
#include <inttypes.h>
#include <stdio.h>

#include "codec.h"

static void print_image(const struct openjp2_headers *h, FILE *to)
{
    fprintf(
        to, "Image info {\n\t x0=%u, y0=%u\n\t x1=%u, y1=%u\n\t numcomps=%u\n", h->x0, h->y0, h->x1, h->y1, h->count);
    for (uint32_t i = 0; i < h->count; i++) {
        const struct openjp2_component *c = &h->component[i];
        fprintf(to, "\t\t component %u {\n\t\t dx=%u, dy=%u\n\t\t prec=%u\n\t\t sgnd=%d\n\t}\n", i, c->dx, c->dy,
            c->depth, c->is_signed);
    }
    fputs("}\n", to);
}

static void print_component(const opj_tccp_info_t *c, FILE *to)
{
    uint32_t bands = c->qntsty == 1 ? 1 : 3 * c->numresolutions - 2;
    fprintf(to, "\t\t comp %u {\n\t\t\t csty=%#x\n\t\t\t numresolutions=%u\n\t\t\t cblkw=2^%u\n\t\t\t cblkh=2^%u\n",
        c->compno, c->csty, c->numresolutions, c->cblkw, c->cblkh);
    fprintf(to, "\t\t\t cblksty=%#x\n\t\t\t qmfbid=%u\n\t\t\t preccintsize (w,h)=", c->cblksty, c->qmfbid);
    for (uint32_t i = 0; i < c->numresolutions; i++)
        fprintf(to, "(%u,%u) ", c->prcw[i], c->prch[i]);
    fprintf(to, "\n\t\t\t qntsty=%u\n\t\t\t numgbits=%u\n\t\t\t stepsizes (m,e)=", c->qntsty, c->numgbits);
    for (uint32_t i = 0; i < bands && i < OPJ_J2K_MAXBANDS; i++)
        fprintf(to, "(%u,%u) ", c->stepsizes_mant[i], c->stepsizes_expn[i]);
    fprintf(to, "\n\t\t\t roishift=%d\n\t\t }\n", c->roishift);
}

static void print_coding(const struct openjp2_headers *h, FILE *to)
{
    fprintf(to, "\t default tile {\n\t\t csty=%#x\n\t\t prg=%#x\n\t\t numlayers=%u\n\t\t mct=%x\n", h->style,
        (unsigned)h->progression, h->layers, h->transform);
    for (uint32_t i = 0; i < h->count; i++)
        print_component(&h->component[i].coding, to);
    fputs("\t }\n", to);
}

static void print_header(const struct openjp2_headers *h, FILE *to)
{
    fprintf(to, "Codestream info from main header: {\n\t tx0=%u, ty0=%u\n\t tdx=%u, tdy=%u\n\t tw=%u, th=%u\n",
        h->tile_x, h->tile_y, h->tile_width, h->tile_height, h->columns, h->rows);
    print_coding(h, to);
    fputs("}\n", to);
}

static void print_tile(const opj_tile_index_t *tile, FILE *to)
{
    fprintf(to, "\t\t nb of tile-part in tile [%u]=%u\n", tile->tileno, tile->nb_tps);
    for (uint32_t i = 0; i < tile->nb_tps; i++)
        fprintf(to, "\t\t\t tile-part[%u]: star_pos=%" PRIi64 ", end_header=%" PRIi64 ", end_pos=%" PRIi64 ".\n", i,
            tile->tp_index[i].start_pos, tile->tp_index[i].end_header, tile->tp_index[i].end_pos);
}

static void print_index(const struct openjp2_codec *codec, const opj_codestream_index_t *index, FILE *to)
{
    fprintf(to,
        "Codestream index from main header: {\n\t Main header start position=%" PRIi64
        "\n\t Main header end position=%" PRIi64 "\n\t Marker list: {\n",
        index->main_head_start, index->main_head_end);
    for (uint32_t i = 0; i < index->marknum; i++)
        fprintf(to, "\t\t type=%#x, pos=%" PRIi64 ", len=%d\n", index->marker[i].type, index->marker[i].pos,
            index->marker[i].len);
    fputs("\t }\n", to);
    if (codec->source.parts > 0) {
        fputs("\t Tile index: {\n", to);
        for (uint32_t i = 0; i < index->nb_of_tiles; i++)
            print_tile(&index->tile_index[i], to);
        fputs("\t }\n", to);
    }
    fputs("}\n", to);
}

void opj_dump_codec(opj_codec_t *handle, OPJ_INT32 what, FILE *to)
{
    const struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !to)
        return;
    if ((what & (OPJ_JP2_INFO | OPJ_JP2_IND)) != 0) {
        fputs("Wrong flag\n", to);
        return;
    }
    if ((what & OPJ_IMG_INFO) != 0 && codec->has_read)
        print_image(&codec->headers, to);
    if ((what & OPJ_J2K_MH_INFO) != 0 && codec->has_read)
        print_header(&codec->headers, to);
    for (uint32_t i = 0; (what & OPJ_J2K_TCH_INFO) != 0 && i < codec->headers.columns * codec->headers.rows; i++)
        print_coding(&codec->headers, to);
    opj_codestream_index_t *index = (what & OPJ_J2K_MH_IND) != 0 ? opj_get_cstr_index(handle) : NULL;
    if (index)
        print_index(codec, index, to);
    opj_destroy_cstr_index(&index);
}
