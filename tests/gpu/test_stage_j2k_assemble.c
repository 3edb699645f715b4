/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel that assembles a codestream: runs of a frame and bytes of code-blocks, all of any length and at any place,
 * must follow each other, and nothing else may be written.
 */
#include <stdlib.h>
#include <string.h>

#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { BODIES = 60, LONGEST = 700, HEAD = sizeof(struct j2k_stream_work), ROOM = BODIES * LONGEST };

static uint32_t random_state = 3;

static uint32_t below(uint32_t n)
{
    return random_below(&random_state, n);
}

static void fill(uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)below(256);
}

/* Lengths of 0 to 9 are as frequent as all others. */
static uint32_t choose_length(void)
{
    return below(2) ? below(10) : below(LONGEST);
}

/*
 * Assemble the bodies from `first` on; the other ones are for another launch, and leave gaps. `base`: the words in
 * front of the bodies' bytes.
 */
static void check(struct gpu_runtime *runtime, uint32_t bodies, uint32_t first, uint32_t base)
{
    const size_t list_bytes = HEAD + ROOM + bodies * sizeof(struct j2k_work_body);
    uint8_t *list = stage_poisoned(list_bytes), *collected = stage_poisoned(ROOM);
    uint8_t *before = stage_poisoned(2 * ROOM), *after = stage_poisoned(2 * ROOM), *frame = list + HEAD;
    struct j2k_work_body *body = (struct j2k_work_body *)(void *)(frame + ROOM);
    const struct j2k_stream_work head = {.frame = HEAD / 4, .body = (HEAD + ROOM) / 4};
    uint32_t at = 0, to = 0;
    memcpy(list, &head, sizeof head);
    fill(frame, ROOM);
    fill(collected, ROOM);
    for (uint32_t i = 0; i < bodies; i++) {
        struct j2k_work_body one = {.run = choose_length(), .length = choose_length(), .frame = at};
        one.from = below(ROOM - one.length - 4 - 4 * base);
        one.to = to + one.run;
        if (i >= first) {
            memcpy(after + to, frame + at, one.run);
            memcpy(after + one.to, collected + 4 * base + one.from, one.length);
        }
        body[i] = one;
        at += one.run;
        to = one.to + one.length;
    }
    const struct stage_argument arguments[] = {STAGE_IN("list", list, list_bytes),
        STAGE_IN("collected", collected, ROOM), STAGE_OUT("stream", before, after, 2 * ROOM), {"first", .value = first},
        {"base", .value = base}};
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_ASSEMBLE, bodies - first, arguments, 5);
    free(list);
    free(collected);
    free(before);
    free(after);
}

static void test_assemble(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        check(runtimes[i], simulated() ? 8 : BODIES, 0, 0);
        check(runtimes[i], simulated() ? 8 : BODIES, 5, 273);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_assemble)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
