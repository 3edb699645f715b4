/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines functions by which the work-items of a work-group exchange values: shuffles, ballots, scans and sums. Lanes
 * are 32 work-items with consecutive local indices: a warp where the hardware has warps, otherwise emulated in the
 * work-group's memory. Every function here must be called by the whole work-group, whose size is a multiple of 32.
 * `scratch` holds one u32 for each work-item, and may be used for something else only after a barrier.
 */
#include "kernels/portable.h"

enum { LANES = 32 };

FUNCTION u32 lane_index(void)
{
    return local_index() % LANES;
}

#if defined(__CUDACC__)
#define HAS_WARPS 1

FUNCTION u32 warp_shuffle(u32 value, u32 lane)
{
    return __shfl_sync(0xFFFFFFFFu, value, (int)lane);
}

FUNCTION u32 warp_ballot(u32 predicate)
{
    return __ballot_sync(0xFFFFFFFFu, predicate != 0);
}

#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
#define HAS_WARPS 1

FUNCTION u32 warp_shuffle(u32 value, u32 lane)
{
    u32 result;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(result) : "r"(value), "r"(lane));
    return result;
}

FUNCTION u32 warp_ballot(u32 predicate)
{
    u32 result;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                     : "=r"(result)
                     : "r"(predicate));
    return result;
}

#else
#define HAS_WARPS 0
#endif

#if HAS_WARPS
/* Make a step of a scan: add the sum of the lane that lies `step` lanes before this one, if there is one. */
FUNCTION u32 warp_sum_step(u32 sum, u32 step)
{
    u32 result;
    __asm__ volatile("{ .reg .u32 s, t; .reg .pred p; mov.u32 s, %1; shfl.sync.up.b32 t|p, s, %2, 0x0, 0xffffffff; "
                     "@p add.u32 s, s, t; mov.u32 %0, s; }"
                     : "=r"(result)
                     : "r"(sum), "r"(step));
    return result;
}
#endif

/* Return the value of another lane of the same 32. */
FUNCTION u32 lane_shuffle(LOCAL u32 *scratch, u32 value, u32 lane)
{
#if HAS_WARPS
    return warp_shuffle(value, lane);
#else
    u32 self = local_index();
    barrier_local();
    scratch[self] = value;
    barrier_local();
    return scratch[self - self % LANES + lane % LANES];
#endif
}

/* Return a mask whose bit i says whether lane i's predicate is not 0. */
FUNCTION u32 lane_ballot(LOCAL u32 *scratch, u32 predicate)
{
#if HAS_WARPS
    return warp_ballot(predicate);
#else
    u32 self = local_index(), first = self - self % LANES, result = 0;
    barrier_local();
    scratch[self] = predicate != 0;
    barrier_local();
    for (u32 i = 0; i < LANES; i++)
        result |= scratch[first + i] << i;
    return result;
#endif
}

/* Return the sum of the values of the lanes before this one, modulo 2^32. *total receives the sum of all 32. */
FUNCTION u32 lane_scan(LOCAL u32 *scratch, u32 value, u32 *total)
{
#if HAS_WARPS
    u32 sum = value;
    for (u32 step = 1; step < LANES; step *= 2)
        sum = warp_sum_step(sum, step);
    *total = warp_shuffle(sum, LANES - 1);
    return sum - value;
#else
    u32 self = local_index(), lane = self % LANES, sum = 0;
    barrier_local();
    scratch[self] = value;
    barrier_local();
    *total = 0;
    for (u32 i = 0; i < LANES; i++) {
        u32 other = scratch[self - lane + i];
        sum += i < lane ? other : 0;
        *total += other;
    }
    return sum;
#endif
}

/* Return the minimum of the values of the 32 lanes. */
FUNCTION u32 lane_least(LOCAL u32 *scratch, u32 value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xFFFFFFFFu, value);
#elif HAS_WARPS
    for (u32 step = LANES / 2; step > 0; step /= 2) {
        u32 other = warp_shuffle(value, lane_index() ^ step);
        value = other < value ? other : value;
    }
    return value;
#else
    u32 self = local_index(), first = self - self % LANES;
    barrier_local();
    scratch[self] = value;
    barrier_local();
    for (u32 i = 0; i < LANES; i++)
        value = scratch[first + i] < value ? scratch[first + i] : value;
    return value;
#endif
}

/*
 * Return the sum of the values of all work-items before this one, modulo 2^32. *total receives the sum of all values;
 * `size` is the size of the work-group.
 */
FUNCTION u32 group_scan(LOCAL u32 *scratch, u32 size, u32 value, u32 *total)
{
    u32 self = local_index(), sum = value;
#if HAS_WARPS
    u32 lane = self % LANES, warp = self / LANES, before = 0;
    for (u32 step = 1; step < LANES; step *= 2)
        sum = warp_sum_step(sum, step);
    barrier_local();
    if (lane == LANES - 1)
        scratch[warp] = sum;
    barrier_local();
    *total = 0;
    for (u32 i = 0; i < size / LANES; i++) {
        before += i < warp ? scratch[i] : 0;
        *total += scratch[i];
    }
    return before + sum - value;
#else
    for (u32 step = 1; step < size; step *= 2) {
        barrier_local();
        scratch[self] = sum;
        barrier_local();
        sum += self >= step ? scratch[self - step] : 0;
    }
    barrier_local();
    scratch[self] = sum;
    barrier_local();
    *total = scratch[size - 1];
    return sum - value;
#endif
}

/*
 * Return two such sums at once. A barrier must lie between any earlier use of `scratch` and this call, and another one
 * before `scratch` is used again.
 */
FUNCTION u32x2 group_scan_two(LOCAL u32 *scratch, u32 size, u32 first, u32 second, u32x2 *total)
{
#if HAS_WARPS
    u32 self = local_index(), lane = self % LANES, warp = self / LANES, a = first, b = second;
    for (u32 step = 1; step < LANES; step *= 2) {
        a = warp_sum_step(a, step);
        b = warp_sum_step(b, step);
    }
    if (lane == LANES - 1) {
        scratch[2 * warp] = a;
        scratch[2 * warp + 1] = b;
    }
    barrier_local();
    a -= first;
    b -= second;
    total->x = total->y = 0;
    for (u32 i = 0; i < size / LANES; i++) {
        a += i < warp ? scratch[2 * i] : 0;
        b += i < warp ? scratch[2 * i + 1] : 0;
        total->x += scratch[2 * i];
        total->y += scratch[2 * i + 1];
    }
    return make_u32x2(a, b);
#else
    u32 total_first, total_second, a = group_scan(scratch, size, first, &total_first);
    u32 b = group_scan(scratch, size, second, &total_second);
    *total = make_u32x2(total_first, total_second);
    return make_u32x2(a, b);
#endif
}

/* Return the sum of the values of all work-items, modulo 2^32. */
FUNCTION u32 group_sum(LOCAL u32 *scratch, u32 size, u32 value)
{
    u32 total;
    group_scan(scratch, size, value, &total);
    return total;
}

/*
 * Add the values of all work-items to *to, modulo 2^32. Where there are warps, this takes one atomic addition per warp.
 */
FUNCTION void add_up_local(LOCAL u32 *to, u32 value)
{
#if HAS_WARPS
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    value = __reduce_add_sync(0xFFFFFFFFu, value);
#else
    for (u32 step = LANES / 2; step > 0; step /= 2)
        value += warp_shuffle(value, lane_index() ^ step);
#endif
    if (lane_index() == 0 && value != 0)
        count_up_local(to, value);
#else
    if (value != 0)
        count_up_local(to, value);
#endif
}

/* Return whether any work-item's predicate is not 0. This acts as a barrier, too. */
FUNCTION u32 group_any(LOCAL u32 *scratch, u32 size, u32 predicate)
{
#if defined(__CUDACC__)
    return (u32)__syncthreads_or((int)predicate);
#elif HAS_WARPS
    u32 result;
    __asm__ volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
                     : "=r"(result)
                     : "r"(predicate)
                     : "memory");
    return result;
#else
    return group_sum(scratch, size, predicate != 0) != 0;
#endif
}
