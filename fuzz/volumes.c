/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that any bytes decode to the same volume and the same report on every tier and number of threads, that a box
 * of it is a part of the whole, and that none is larger than it is described.
 */
#include "volume_compared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    volume_compared(data, length, &input);
    return 0;
}
