/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that the header contents of an image to be written are allowed (T.800 Annex A). Checks that depend on geometry
 * come later.
 */
#include "core/report.h"
#include "j2k/packets/builder.h"
#include "j2k/write/coded.h"

enum { PROGRESSIONS = 5, GUARD_MAX = 7, ROI_SHIFT_MAX = 37, TILES_MAX = 65535, BLOCK_SUM_MAX = 12 };

/* Holds the state of a check, with the tile whose parameters are checked. */
struct checking {
    const struct j2k_coded *coded;
    kst_report *report;
    uint32_t tile;
};

static kst_status refuse(const struct checking *checking, kst_status status, const char *what, uint32_t component)
{
    return kst_report_error(checking->report, status, KST_NO_OFFSET, "%s of component %u in tile %u", what,
        (unsigned)component, (unsigned)checking->tile);
}

static kst_status check_coding(const struct checking *checking, const struct j2k_coding *coding, uint32_t component)
{
    if (coding->levels > J2K_LEVELS)
        return refuse(checking, KST_ERROR_J2K_CODING, "more than 32 levels", component);
    if (coding->block_width < 2 || coding->block_height < 2 || coding->block_width > 10 || coding->block_height > 10 ||
        coding->block_width + coding->block_height > BLOCK_SUM_MAX)
        return refuse(checking, KST_ERROR_J2K_CODING, "the size of code-blocks", component);
    if (!kst_j2k_writes_style(coding->style))
        return refuse(checking, kst_j2k_has_style(coding->style) ? KST_ERROR_J2K_HT : KST_ERROR_J2K_CODING,
            "the code-block style", component);
    for (uint32_t r = 1; r <= coding->levels; r++)
        if ((coding->precinct[r] & 0x0F) == 0 || coding->precinct[r] >> 4 == 0)
            return refuse(checking, KST_ERROR_J2K_CODING, "a precinct narrower than a subband's sample", component);
    return KST_OK;
}

static kst_status check_steps(
    const struct checking *checking, const struct j2k_quantisation *quantisation, uint32_t component)
{
    if (quantisation->style > 2 || quantisation->count == 0 || quantisation->count > J2K_SUBBANDS ||
        (quantisation->style == 1 && quantisation->count != 1))
        return refuse(checking, KST_ERROR_J2K_QUANTISATION, "the style or number of steps", component);
    if (quantisation->guard > GUARD_MAX)
        return refuse(checking, KST_ERROR_J2K_QUANTISATION, "more than 7 guard bits", component);
    return KST_OK;
}

static kst_status check_volumes(const struct checking *checking, const struct j2k_parameters *parameters)
{
    if (parameters->volume_count > J2K_VOLUMES_MAX)
        return kst_report_error(checking->report, KST_ERROR_J2K_PROGRESSION, KST_NO_OFFSET, "more than 1,024 changes");
    for (uint32_t i = 0; i < parameters->volume_count; i++) {
        const struct j2k_volume *v = &parameters->volume[i];
        if (v->progression >= PROGRESSIONS || v->r0 >= v->r1 || v->r1 > J2K_RESOLUTIONS || v->c0 >= v->c1 ||
            v->c1 > checking->coded->headers.component_count || v->layers == 0)
            return kst_report_error(checking->report, KST_ERROR_J2K_PROGRESSION, KST_NO_OFFSET, "change %u of tile %u",
                (unsigned)i + 1, (unsigned)checking->tile);
    }
    return KST_OK;
}

static kst_status check_parameters(const struct checking *checking, const struct j2k_parameters *parameters)
{
    kst_status status = KST_OK;
    if (parameters->progression >= PROGRESSIONS)
        return kst_report_error(checking->report, KST_ERROR_J2K_CODING, KST_NO_OFFSET, "an unknown progression");
    if (parameters->layers == 0)
        return kst_report_error(checking->report, KST_ERROR_J2K_CODING, KST_NO_OFFSET, "no layers");
    for (uint32_t c = 0; c < checking->coded->headers.component_count && !status; c++) {
        status = check_coding(checking, &parameters->coding[c], c);
        if (!status)
            status = check_steps(checking, &parameters->quantisation[c], c);
        if (!status && parameters->roi_shift[c] > ROI_SHIFT_MAX)
            status = refuse(checking, KST_ERROR_J2K_ROI, "a shift above 37", c);
    }
    return status ? status : check_volumes(checking, parameters);
}

static kst_status check_size(const struct j2k_stream *headers, kst_report *report)
{
    const struct j2k_size *size = &headers->size;
    const struct j2k_rect *image = &size->image;
    if (j2k_is_empty(*image) || size->tile_x > image->x0 || size->tile_y > image->y0 ||
        (uint64_t)size->tile_x + size->tile_width <= image->x0 ||
        (uint64_t)size->tile_y + size->tile_height <= image->y0)
        return kst_report_error(report, KST_ERROR_J2K_DIMENSIONS, KST_NO_OFFSET, NULL);
    if (size->columns == 0 || size->rows == 0 || (uint64_t)size->columns * size->rows > TILES_MAX)
        return kst_report_error(report, KST_ERROR_J2K_TILES, KST_NO_OFFSET, NULL);
    if (headers->component_count == 0 || headers->component_count > J2K_COMPONENTS)
        return kst_report_error(report, KST_ERROR_J2K_COMPONENTS, KST_NO_OFFSET, NULL);
    for (uint32_t c = 0; c < headers->component_count; c++) {
        const struct j2k_component_size *component = &headers->component[c];
        if (component->depth == 0 || component->depth > J2K_DEPTH)
            return kst_report_error(report, KST_ERROR_J2K_DEPTH, KST_NO_OFFSET, "component %u", (unsigned)c);
        if (component->dx == 0 || component->dy == 0)
            return kst_report_error(report, KST_ERROR_J2K_SAMPLING, KST_NO_OFFSET, "component %u", (unsigned)c);
    }
    return KST_OK;
}

kst_status kst_j2k_coded_check(const struct j2k_coded *coded, kst_report *report)
{
    struct checking checking = {.coded = coded, .report = report};
    kst_status status = check_size(&coded->headers, report);
    if (!status)
        status = check_parameters(&checking, &coded->headers.main);
    uint32_t tiles = coded->headers.size.columns * coded->headers.size.rows;
    for (; coded->tile && checking.tile < tiles && !status; checking.tile++)
        status = check_parameters(&checking, &coded->tile[checking.tile]);
    return status;
}
