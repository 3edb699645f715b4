/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts code-blocks by the number of their decisions, those with the most first. */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"

enum { ORDER_BUCKETS = 1024, ORDER_STEP = 64, ORDER_SHARE = ORDER_BUCKETS / J2K_ORDER_GROUP };

FUNCTION u32 bucket_of(GLOBAL const struct j2k_work_coded_result *result)
{
    u32 bucket = result->decisions / ORDER_STEP;
    return ORDER_BUCKETS - 1 - (bucket < ORDER_BUCKETS ? bucket : ORDER_BUCKETS - 1);
}

/* Sort all blocks with one work-group. `order` receives their indices. */
KERNEL(J2K_ORDER_GROUP)
order_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT results, GLOBAL u32 *RESTRICT order)
{
    SHARED u32 place[ORDER_BUCKETS];
    SHARED u32 scratch[J2K_ORDER_GROUP];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_result *result =
        (GLOBAL const struct j2k_work_coded_result *)(results + J2K_LIST_HEAD);
    u32 self = local_index(), blocks = head->blocks, sum = 0, total;
    for (u32 i = self; i < ORDER_BUCKETS; i += J2K_ORDER_GROUP)
        place[i] = 0;
    barrier_local();
    for (u32 i = self; i < blocks; i += J2K_ORDER_GROUP)
        count_up_local(&place[bucket_of(result + i)], 1);
    barrier_local();
    for (u32 i = 0; i < ORDER_SHARE; i++)
        sum += place[self * ORDER_SHARE + i];
    sum = group_scan(scratch, J2K_ORDER_GROUP, sum, &total);
    for (u32 i = 0; i < ORDER_SHARE; i++) {
        u32 own = place[self * ORDER_SHARE + i];
        place[self * ORDER_SHARE + i] = sum;
        sum += own;
    }
    barrier_local();
    for (u32 i = self; i < blocks; i += J2K_ORDER_GROUP)
        order[count_up_local(&place[bucket_of(result + i)], 1)] = i;
}
