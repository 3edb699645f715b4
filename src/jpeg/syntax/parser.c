/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates memory for the arrays that the parser fills. */
#include "jpeg/syntax/parser.h"

kst_status kst_jpeg_parser_grow(
    struct jpeg_parser *parser, void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return KST_OK;
    uint32_t wanted = *capacity ? *capacity * 2 : 16;
    kst_status status = KST_OK;
    void *grown = wanted > *capacity ? kst_memory_grow(parser->op->memory, *array, (size_t)count * size,
                                           (size_t)wanted * size, &status)
                                     : NULL;
    if (!grown)
        return kst_report_error(
            parser->op->report, status ? status : KST_ERROR_LIMIT_MEMORY, parser->position, "while parsing markers");
    *array = grown;
    *capacity = wanted;
    return KST_OK;
}
