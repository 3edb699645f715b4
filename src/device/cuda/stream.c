/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a handle by reading the memory that it points to: the record of a live stream has its context's handle. */
#include "device/cuda/stream.h"

#include "device/handle.h"

enum { WORDS = 16 };

/*
 * A stream's handle points to the address of a record, whose first words include the handle of its context (the third
 * word with driver 580). A stream that was destroyed is freed memory, whose first word is no longer the address of such
 * a record.
 */
static enum gpu_look read_record(cu_stream stream, uintptr_t record[WORDS])
{
    uintptr_t address = 0;
    enum gpu_look look = kst_gpu_look((uintptr_t)stream, &address, sizeof address);
    return look == GPU_LOOK_READ ? kst_gpu_look(address, record, WORDS * sizeof record[0]) : look;
}

bool kst_cuda_stream_lives(cu_stream stream, cu_stream own, cu_context context)
{
    uintptr_t known[WORDS], record[WORDS];
    int place = 0;
    if (read_record(own, known) != GPU_LOOK_READ)
        return true;
    while (place < WORDS && known[place] != (uintptr_t)context)
        place++;
    if (place == WORDS)
        return true;
    enum gpu_look look = read_record(stream, record);
    return look == GPU_LOOK_UNKNOWN || (look == GPU_LOOK_READ && record[place] == (uintptr_t)context);
}
