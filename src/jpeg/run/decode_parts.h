/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the GPU decodes many JPEG pictures: in parts, a few of which are in flight at the same time. */
#ifndef KOSTKA_JPEG_RUN_DECODE_PARTS_H
#define KOSTKA_JPEG_RUN_DECODE_PARTS_H

#include "run/decoding.h"

/* See struct decode_parts. */
void *kst_jpeg_run_parts_make(const struct decode_owner *owner);
void kst_jpeg_run_parts_release(void *made);
void kst_jpeg_run_parts_add(void *made, struct decoding *decoding);
void kst_jpeg_run_parts_run(void *made, bool more);
void kst_jpeg_run_parts_follow(const void *made, struct gpu_queue *queue);
bool kst_jpeg_run_parts_done(const void *made);
void kst_jpeg_run_parts_end(void *made);

#endif
