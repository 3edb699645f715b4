/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the restart interval of a stream to be written (T.81 B.2.4.4). */
#ifndef KOSTKA_JPEG_PLAN_RESTART_H
#define KOSTKA_JPEG_PLAN_RESTART_H

#include "jpeg/plan/frame.h"

/*
 * Replace KST_RESTART_AUTO by the KST_RESTART_MCUS or KST_RESTART_ROWS that suits this frame and coding; any other unit
 * is returned as it is. docs/performance/jpeg-cpu.md says what the choice costs.
 */
kst_restart kst_jpeg_restart_choose(const struct jpeg_frame *frame, kst_restart restart, bool progressive);

/*
 * Return the restart interval of `result`, in MCUs of its single scan of all components, that puts as many pixels
 * between markers as `interval` MCUs of a scan of `source` do; 0 if that is not a whole number or too large. `first` is
 * the first component of the source's scan, `count` the number of its components.
 */
uint32_t kst_jpeg_restart_keep(
    const struct jpeg_frame *source, uint8_t first, uint32_t count, uint32_t interval, const struct jpeg_frame *result);

#endif
