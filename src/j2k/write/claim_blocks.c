/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the claims of CAP with the code-blocks, as packet headers describe them. */
#include "j2k/write/claim_blocks.h"

#include "j2k/syntax/allowance.h"

/* Lists the claims that tile-components and code-blocks can break. Each is told once. */
enum rule { RULE_ANNOUNCED, RULE_KIND, RULE_REVERSIBLE, RULE_SEVERAL, RULE_BOUND, RULES };

struct claim_checking {
    const struct j2k_claims *claims;
    struct j2k_builder builder;
    struct j2k_plan plan;
    bool told[RULES];
};

/* Return whether a rule is broken for the first time. */
static bool is_first(struct claim_checking *checking, enum rule rule)
{
    const bool first = !checking->told[rule];
    checking->told[rule] = true;
    return first;
}

/* Return what is wrong with the style of a tile-component, given the kind of code-blocks that Ccap15 claims; or null.
 */
static const char *wrong_kind(uint32_t kind, uint32_t style)
{
    if (kind == J2K_CCAP_ALL && (style & J2K_STYLE_HT) == 0)
        return "that all code-blocks are those of T.814: here are others";
    if (kind == J2K_CCAP_ALL && (style & J2K_STYLE_MIXED) != 0)
        return "that all code-blocks are those of T.814: here others may be among them";
    if (kind == J2K_CCAP_DECLARED && (style & J2K_STYLE_MIXED) != 0)
        return "that a tile-component has code-blocks of one kind: here both may be";
    return NULL;
}

static void check_component(struct claim_checking *checking, uint32_t component)
{
    const struct j2k_claims *claims = checking->claims;
    const struct j2k_builder *builder = &checking->builder;
    const struct j2k_coding *coding = &builder->in_force.coding[component];
    const uint32_t tile = builder->tile;
    const bool is_ht = (coding->style & J2K_STYLE_HT) != 0;
    const char *wrong = claims->has_ht ? wrong_kind(claims->ht >> J2K_CCAP_KIND, coding->style) : NULL;
    if (is_ht && !claims->has_ht && is_first(checking, RULE_ANNOUNCED))
        kst_j2k_claim_broken(claims, kst_j2k_claim_coding(claims, tile, component),
            "code-blocks of T.814 are announced in CAP: component %u of tile %u has some without", (unsigned)component,
            (unsigned)tile);
    if (wrong && is_first(checking, RULE_KIND))
        kst_j2k_claim_broken(claims, kst_j2k_claim_coding(claims, tile, component),
            "Ccap15 says %s, in component %u of tile %u", wrong, (unsigned)component, (unsigned)tile);
    if (claims->has_ht && is_ht && !coding->reversible && (claims->ht & J2K_CCAP_IRREVERSIBLE) == 0 &&
        is_first(checking, RULE_REVERSIBLE))
        kst_j2k_claim_broken(claims, kst_j2k_claim_coding(claims, tile, component),
            "Ccap15 says that the transform is reversible: that of component %u of tile %u is not", (unsigned)component,
            (unsigned)tile);
}

/* Return the level of the bands of a resolution, from 1 for the finest; 0 if there is no transform at all. */
static uint32_t level_of(const struct j2k_grid *grid)
{
    return grid->shift + (grid->resolution > 0 ? 1U : 0U);
}

/* Check a code-block of T.814 that has bytes. */
static void check_block(
    struct claim_checking *checking, const struct j2k_claimed_block *block, const struct j2k_block_state *state)
{
    const struct j2k_claims *claims = checking->claims;
    const struct j2k_builder *builder = &checking->builder;
    const struct j2k_grid *grid = block->grid;
    const uint32_t bits = state->missing + (state->last - 1) / 3 + 1;
    const uint32_t levels = builder->in_force.coding[grid->component].reversible ? 0 : level_of(grid);
    const uint32_t bound = j2k_ccap_bound(claims->ht & J2K_CCAP_BOUND);
    enum { SET = 3 /* most passes of a set */ };
    if (state->passes >= state->first + SET && (claims->ht & J2K_CCAP_SEVERAL) == 0 && is_first(checking, RULE_SEVERAL))
        kst_j2k_claim_broken(claims, kst_j2k_claim_place(builder, block, state->first + SET),
            "Ccap15 says that a code-block has one set: one in resolution %u of component %u of tile %u has several",
            (unsigned)grid->resolution, (unsigned)grid->component, (unsigned)builder->tile);
    if (bits > bound + levels && is_first(checking, RULE_BOUND))
        kst_j2k_claim_broken(claims, kst_j2k_claim_place(builder, block, state->last),
            "Ccap15 bounds magnitudes by %u bits%s: a code-block in resolution %u of component %u of tile %u has %u",
            (unsigned)bound, levels > 0 ? " and one a level" : "", (unsigned)grid->resolution,
            (unsigned)grid->component, (unsigned)builder->tile, (unsigned)bits);
}

static void check_grid(struct claim_checking *checking, const struct j2k_grid *grid)
{
    struct j2k_claimed_block block = {.grid = grid};
    for (block.precinct = 0; block.precinct < grid->columns * grid->rows; block.precinct++) {
        const struct j2k_precinct_state *state =
            checking->builder.precinct[grid->first_precinct + block.precinct].state;
        for (block.band = 0; state && block.band < grid->band_count; block.band++) {
            const struct j2k_precinct_band *band = &state->band[block.band];
            for (uint32_t i = 0; i < band->columns * band->rows; i++) {
                block.x = i % band->columns;
                block.y = i / band->columns;
                if (band->block[i].coder == J2K_HT && band->block[i].first != J2K_NO_INDEX)
                    check_block(checking, &block, &band->block[i]);
            }
        }
    }
}

/* Check the current tile, of whose packets the headers have been read. */
static kst_status check_tile(struct j2k_builder *builder)
{
    struct claim_checking *checking = builder->collector;
    for (uint32_t c = 0; c < builder->stream->component_count; c++)
        check_component(checking, c);
    for (uint32_t g = 0; g < builder->grid_count && checking->claims->has_ht; g++)
        check_grid(checking, &builder->grid[g]);
    return KST_OK;
}

/*
 * Check the tile-components of a stream that does not claim T.814, without reading packets. All tiles without
 * parameters of their own have those of the main header.
 */
static kst_status check_parameters(struct claim_checking *checking)
{
    struct j2k_builder *builder = &checking->builder;
    const struct j2k_stream *stream = builder->stream;
    kst_status status = KST_OK;
    bool main_checked = false;
    for (; builder->tile < stream->size.columns * stream->size.rows && !checking->told[RULE_ANNOUNCED];
         builder->tile++) {
        const bool own = kst_j2k_tile_has_own(stream, builder->tile);
        if (stream->tile_part[builder->tile] == stream->tile_part[builder->tile + 1] || (main_checked && !own))
            continue;
        main_checked = main_checked || !own;
        status = kst_j2k_tile_parameters(builder);
        if (status && !kst_j2k_is_tile_error(status))
            break;
        for (uint32_t c = 0; c < stream->component_count && !status; c++)
            check_component(checking, c);
        kst_report_forgive(builder->report);
    }
    kst_j2k_builder_release(builder);
    return status;
}

/* Check all tiles, whose packet headers are read. */
static kst_status check_tiles(struct claim_checking *checking)
{
    kst_status status = kst_j2k_builder_run(&checking->builder);
    kst_j2k_plan_release(checking->builder.memory, &checking->plan);
    return status;
}

kst_status kst_j2k_claim_blocks(const struct operation *op, const struct j2k_claims *claims)
{
    const struct j2k_filter all = {.layers = 0};
    const kst_limits narrow = kst_j2k_narrow(op->limits, claims->stream, false);
    kst_report damage;
    struct claim_checking checking = {.claims = claims,
        .builder = {.collect = check_tile,
            .memory = op->memory,
            .limits = &narrow,
            .stream = claims->stream,
            .filter = &all,
            .report = &damage,
            .survey = true,
            .headers_only = true}};
    checking.builder.plan = &checking.plan;
    checking.builder.collector = &checking;
    kst_report_init(&damage);
    const kst_status status = claims->has_ht ? check_tiles(&checking) : check_parameters(&checking);
    if (status && !kst_j2k_is_tile_error(status))
        return kst_report_error(op->report, status, KST_NO_OFFSET, "while claims are compared with code-blocks");
    return KST_OK;
}
