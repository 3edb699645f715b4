/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the standard scan scripts and checks the caller's. */
#include "jpeg/plan/script.h"

#include <string.h>

enum { LAST = 63, BIT_MAX = 13, UNSENT = 255 };

static kst_scan one(uint32_t component, uint8_t ss, uint8_t se, uint8_t ah, uint8_t al)
{
    return (kst_scan){1, {(uint8_t)component}, ss, se, ah, al};
}

static kst_scan all(uint32_t component_count, uint8_t se, uint8_t ah, uint8_t al)
{
    return (kst_scan){(uint8_t)component_count, {0, 1, 2, 3}, 0, se, ah, al};
}

static size_t colour_script(kst_scan script[JPEG_SCRIPT_MAX])
{
    const kst_scan scans[] = {
        all(3, 0, 0, 1),
        one(0, 1, 5, 0, 2),
        one(2, 1, LAST, 0, 1),
        one(1, 1, LAST, 0, 1),
        one(0, 6, LAST, 0, 2),
        one(0, 1, LAST, 2, 1),
        all(3, 0, 1, 0),
        one(2, 1, LAST, 1, 0),
        one(1, 1, LAST, 1, 0),
        one(0, 1, LAST, 1, 0),
    };
    memcpy(script, scans, sizeof scans);
    return sizeof scans / sizeof *scans;
}

size_t kst_jpeg_progressive_script(kst_colour colour, uint32_t component_count, kst_scan script[JPEG_SCRIPT_MAX])
{
    if (colour == KST_COLOUR_YCBCR && component_count == 3)
        return colour_script(script);
    const kst_scan ac[4] = {one(0, 1, 5, 0, 2), one(0, 6, LAST, 0, 2), one(0, 1, LAST, 2, 1), one(0, 1, LAST, 1, 0)};
    size_t length = 0;
    script[length++] = all(component_count, 0, 0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        if (i == 3)
            script[length++] = all(component_count, 0, 1, 0);
        for (uint32_t c = 0; c < component_count; c++) {
            script[length] = ac[i];
            script[length++].component[0] = (uint8_t)c;
        }
    }
    return length;
}

size_t kst_jpeg_sequential_script(uint32_t component_count, kst_scan script[1])
{
    script[0] = all(component_count, LAST, 0, 0);
    return 1;
}

static kst_status check_components(const struct jpeg_frame *frame, const kst_scan *scan)
{
    if (scan->component_count < 1 || scan->component_count > JPEG_COMPONENTS)
        return KST_ERROR_JPEG_SCRIPT;
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t c = scan->component[i];
        if (c >= frame->component_count || (i > 0 && c <= scan->component[i - 1]))
            return KST_ERROR_JPEG_SCRIPT;
        blocks += (uint32_t)frame->component[c].h * frame->component[c].v;
    }
    return scan->component_count > 1 && blocks > JPEG_MCU_BLOCKS ? KST_ERROR_JPEG_SAMPLING : KST_OK;
}

static bool band_valid(const kst_scan *scan, bool progressive)
{
    if (!progressive)
        return scan->ss == 0 && scan->se == LAST && scan->ah == 0 && scan->al == 0;
    if (scan->se > LAST || scan->ss > scan->se || scan->ah > BIT_MAX || scan->al > BIT_MAX)
        return false;
    /* DC and AC coefficients go in different scans, and an AC scan has one component. */
    return scan->ss == 0 ? scan->se == 0 : scan->component_count == 1;
}

/*
 * Enter a scan into `sent`, which holds the lowest bit sent so far of each coefficient. Returns false if the scan does
 * not follow from the earlier ones.
 */
static bool enter(const kst_scan *scan, uint8_t sent[JPEG_COMPONENTS][64])
{
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t *bit = sent[scan->component[i]];
        if (scan->ss > 0 && bit[0] == UNSENT)
            return false;
        for (uint32_t k = scan->ss; k <= scan->se; k++) {
            bool first = bit[k] == UNSENT;
            if (first ? scan->ah != 0 : scan->ah != bit[k] || scan->ah != scan->al + 1)
                return false;
            bit[k] = scan->al;
        }
    }
    return true;
}

/* Check a script each of whose scans sends all coefficients of its components. */
static kst_status check_sequential(const struct jpeg_frame *frame, const kst_scan *script, size_t length, size_t *scan)
{
    uint32_t sent = 0;
    for (*scan = 0; *scan < length; ++*scan) {
        kst_status status = check_components(frame, &script[*scan]);
        if (status)
            return status;
        if (!band_valid(&script[*scan], false))
            return KST_ERROR_JPEG_SCRIPT;
        for (uint32_t i = 0; i < script[*scan].component_count; i++) {
            uint32_t bit = 1U << script[*scan].component[i];
            if (sent & bit)
                return KST_ERROR_JPEG_SCRIPT;
            sent |= bit;
        }
    }
    return sent == (1U << frame->component_count) - 1 ? KST_OK : KST_ERROR_JPEG_SCRIPT;
}

static kst_status check_progressive(const struct jpeg_frame *frame, const kst_scan *script, size_t length, size_t *scan)
{
    uint8_t sent[JPEG_COMPONENTS][64];
    memset(sent, UNSENT, sizeof sent);
    for (*scan = 0; *scan < length; ++*scan) {
        kst_status status = check_components(frame, &script[*scan]);
        if (status)
            return status;
        if (!band_valid(&script[*scan], true) || !enter(&script[*scan], sent))
            return KST_ERROR_JPEG_SCRIPT;
    }
    for (uint32_t c = 0; c < frame->component_count; c++) {
        for (uint32_t k = 0; k < 64; k++) {
            if (sent[c][k] != 0)
                return KST_ERROR_JPEG_SCRIPT;
        }
    }
    return KST_OK;
}

kst_status kst_jpeg_script_check(
    const struct jpeg_frame *frame, bool progressive, const kst_scan *script, size_t length, size_t *scan)
{
    return progressive ? check_progressive(frame, script, length, scan) : check_sequential(frame, script, length, scan);
}
