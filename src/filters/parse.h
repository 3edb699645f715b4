/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the reading of chains of filters. */
#ifndef KOSTKA_FILTERS_PARSE_H
#define KOSTKA_FILTERS_PARSE_H

#include "filters/filter.h"

struct filter_step {
    const struct filter_kind *kind;
    struct filter_value value[FILTER_PARAMETERS_MAX];
    void *data; /* the data that filter_data.open made; null: there is none */
};

/*
 * Read "NAME[=VALUE[:VALUE…]][,NAME…]" into at most FILTER_STEPS_MAX steps. Returns KST_OK, or KST_ERROR_OPTIONS with
 * the reason and the offset of the wrong byte.
 */
kst_status kst_filter_parse(
    const char *chain, struct filter_step *step, uint32_t *count, char reason[FILTER_REASON], size_t *offset);

#endif
