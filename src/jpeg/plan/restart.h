/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a restart interval (T.81 B.2.4.4). */
#ifndef KOSTKA_JPEG_PLAN_RESTART_H
#define KOSTKA_JPEG_PLAN_RESTART_H

#include "jpeg/plan/frame.h"

/*
 * What KST_RESTART_AUTO stands for with this frame and coding, as KST_RESTART_MCUS or KST_RESTART_ROWS; any other unit
 * is returned as it is. docs/performance.md says what it costs.
 */
kst_restart kst_jpeg_restart_choose(const struct jpeg_frame *frame, kst_restart restart, bool progressive);

/*
 * As many pixels between markers as `interval` MCUs of a scan of `source` have, in MCUs of the one scan of all
 * components of `result`; 0 where that is no whole number, or too large. `first` is the scan's first component, `count`
 * how many it has.
 */
uint32_t kst_jpeg_restart_keep(
    const struct jpeg_frame *source, uint8_t first, uint32_t count, uint32_t interval, const struct jpeg_frame *result);

#endif
