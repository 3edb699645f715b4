/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes multiple component transforms from the input, in the main header and in those of tiles, for slices that were
 * encoded without one; and checks that the volumes decode to the same result on all tiers and thread counts.
 */
#include <stdlib.h>

#include "made.h"
#include "volume_compared.h"

static kst_buffer base[2]; /* without loss, and with */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    for (uint32_t i = 0; i < 2; i++)
        base[i] = made_slices(i > 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct made made;
    uint8_t choices[32];
    struct fuzz_input input = {choices, sizeof choices};
    made_begin(&made, data, length);
    made_volume(&made, &base[made_choose(&made, 2)]);
    made_damage(&made);
    for (size_t i = 0; i < sizeof choices; i++)
        choices[i] = (uint8_t)made_random(&made, 256);
    uint8_t *copy = made_copy(&made);
    volume_compared(copy, made.length, &input);
    free(copy);
    made_end(&made);
    return 0;
}
