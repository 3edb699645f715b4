/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares scan scripts: the scans in which the coefficients of a picture are sent (T.81 G.1.1.1). */
#ifndef KOSTKA_JPEG_PLAN_SCRIPT_H
#define KOSTKA_JPEG_PLAN_SCRIPT_H

#include "jpeg/plan/frame.h"

enum { JPEG_SCRIPT_MAX = 18 }; /* number of scans in the longest standard script */

/* Make the progressive script that libjpeg recommends. Returns its length. */
size_t kst_jpeg_progressive_script(kst_colour colour, uint32_t component_count, kst_scan script[JPEG_SCRIPT_MAX]);

/* Make a script of one sequential scan of all components. Returns 1. */
size_t kst_jpeg_sequential_script(uint32_t component_count, kst_scan script[1]);

/*
 * Check that a script fits the process, names only components of the frame, keeps MCUs within 10 blocks, and sends
 * every bit of every coefficient exactly once. Returns KST_OK, KST_ERROR_JPEG_SCRIPT or KST_ERROR_JPEG_SAMPLING. On
 * error *scan is the index of the offending scan, or the length of the script if something is missing at its end.
 */
kst_status kst_jpeg_script_check(
    const struct jpeg_frame *frame, bool progressive, const kst_scan *script, size_t length, size_t *scan);

#endif
