/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines one language for kernels: the common part of C99 as OpenCL C 1.2 reads it and of C++ as nvcc reads it, with
 * macros for the rest.
 *
 *   KERNEL(n) name(…)   declares a kernel whose work-groups have n work-items
 *   DENSE_KERNEL(n, m)  likewise; the registers of a multiprocessor must suffice for m work-groups
 *   SLIM_KERNEL(n, m)   likewise; with NVIDIA's OpenCL the build's limit on registers applies to it
 *   FUNCTION            declares a function that kernels call
 *   LARGE_FUNCTION      likewise; it has no barriers, and is not inlined where a CPU's compiler would take minutes
 *   GLOBAL, LOCAL       in pointer types: device memory, the work-group's memory
 *   SHARED              declares the work-group's memory, only in the body of a kernel itself; prefer arrays
 *   TABLE               declares a constant table at file scope
 *   SPREAD_TABLE        likewise, for a table that neighbouring work-items read at different places
 *   UNROLL              stands before a loop over an array that is to stay in registers
 *   ROLL                stands before a loop that must stay a loop: code that outgrows the instruction cache is slow
 *   OUTLINED            declares a function that is not inlined, for code that is seldom needed
 *
 * Every function that says "whole work-group" must be reached by all work-items of the group.
 */
#if defined(__CUDACC__)

#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")
#define OUTLINED static __device__ __noinline__

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;
typedef int i32;
typedef long long i64;

/*
 * A multiprocessor of a device for data centres holds up to 32 work-groups and 2,048 work-items; others hold as few as
 * 16 and 1,536, and before compute capability 8.0 as few as 1,024 work-items.
 */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
#define RESIDENT_GROUPS 32
#define RESIDENT_ITEMS 2048
#else
#define RESIDENT_GROUPS 16
#define RESIDENT_ITEMS (__CUDA_ARCH__ < 800 ? 1024 : 1536)
#endif
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))

#define KERNEL(n) extern "C" __global__ void __launch_bounds__(n)
#define DENSE_KERNEL(n, m)                                                                                             \
    extern "C" __global__ void __launch_bounds__(n, SMALLER(SMALLER(m, RESIDENT_GROUPS), RESIDENT_ITEMS / (n)))
#define SLIM_KERNEL(n, m) DENSE_KERNEL(n, m)
#define FUNCTION static __device__ __forceinline__
#define LARGE_FUNCTION FUNCTION
#define GLOBAL
#define LOCAL
#define SHARED __shared__
#define TABLE static __constant__ const
#define SPREAD_TABLE static __device__ const
#define RESTRICT __restrict__

FUNCTION u32 local_index(void)
{
    return threadIdx.x;
}

FUNCTION u32 group_index(void)
{
    return blockIdx.x;
}

/*
 * Order the work-group's accesses to its local memory; barrier_all() orders those to device memory too. Whole
 * work-group.
 */
FUNCTION void barrier_local(void)
{
    __syncthreads();
}

FUNCTION void barrier_all(void)
{
    __syncthreads();
}

FUNCTION u32 leading_zeros(u32 x)
{
    return (u32)__clz((int)x);
}

/* Return the number of leading zeros of x, which must not be 0. */
FUNCTION u32 top_zeros(u32 x)
{
    u32 result;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(result) : "r"(x));
    return result;
}

/* Return the length of x in bits, up to its highest set bit; 0 for 0. */
FUNCTION u32 bit_length(u32 x)
{
    u32 highest; /* all ones if there is none */
    asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(x));
    return highest + 1;
}

/* Return the same of a number that is not negative, and of ~x if x is negative: it is 0 for 0 and for −1. */
FUNCTION u32 signed_length(i32 x)
{
    u32 highest; /* the highest bit that differs from the sign; all ones if there is none */
    asm("bfind.s32 %0, %1;" : "=r"(highest) : "r"(x));
    return highest + 1;
}

FUNCTION u32 ones(u32 x)
{
    return (u32)__popc(x);
}

FUNCTION u32 count_up(GLOBAL u32 *p, u32 x)
{
    return atomicAdd(p, x);
}

FUNCTION u32 count_up_local(LOCAL u32 *p, u32 x)
{
    return atomicAdd(p, x);
}

FUNCTION u32 atomic_least(GLOBAL u32 *p, u32 x)
{
    return atomicMin(p, x);
}

FUNCTION u32 atomic_least_local(LOCAL u32 *p, u32 x)
{
    return atomicMin(p, x);
}

FUNCTION u32 atomic_greatest(GLOBAL u32 *p, u32 x)
{
    return atomicMax(p, x);
}

/* Return a value that other work-items may be changing by atomics. */
FUNCTION u32 current(GLOBAL u32 *p)
{
    return *(volatile u32 *)p;
}

FUNCTION u32 current_local(LOCAL u32 *p)
{
    return *(volatile u32 *)p;
}

FUNCTION void join(GLOBAL u32 *p, u32 x)
{
    atomicOr(p, x);
}

FUNCTION void join_local(LOCAL u32 *p, u32 x)
{
    atomicOr(p, x);
}

/* Return the upper 32 bits of the product. */
FUNCTION u32 high_product(u32 x, u32 y)
{
    return __umulhi(x, y);
}

/* Return 32 bits of a 64-bit number made of two words, from bit shift % 32 on; `low` is its lower half. */
FUNCTION u32 shift_pair(u32 low, u32 high, u32 shift)
{
    return __funnelshift_r(low, high, shift);
}

/* Return x shifted down or up by n % 32 bits. */
FUNCTION u32 shift_down(u32 x, u32 n)
{
    return __funnelshift_r(x, 0, n);
}

FUNCTION u32 shift_up(u32 x, u32 n)
{
    return __funnelshift_l(0, x, n);
}

/*
 * Return the 32 bits that begin at bit n % 32 of a 64-bit number made of two words, where bit 0 is the highest bit of
 * `high`.
 */
FUNCTION u32 funnel(u32 high, u32 low, u32 n)
{
    return __funnelshift_l(low, high, n);
}

/* Reverse the order of the bytes: of bytes a, b, c, d in memory, a becomes the highest eight bits. */
FUNCTION u32 swap_bytes(u32 x)
{
    return __byte_perm(x, 0, 0x0123);
}

/* Pick four of the eight bytes of two words: each nibble of `places` names one, 0 being the lowest byte of x. */
FUNCTION u32 pick_bytes(u32 x, u32 y, u32 places)
{
    return __byte_perm(x, y, places);
}

/*
 * Return the sum of c, a times the lowest byte and b times the next byte, modulo 2^32. a and b are constants, both in
 * −2^15…2^15 − 1 or both in 0…2^16 − 1.
 */
FUNCTION u32 dot_low(u32 bytes, i32 a, i32 b, u32 c)
{
    u32 result, factors = ((u32)a & 0xFFFF) | (u32)b << 16;
    if (a < 0 || b < 0)
        asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(bytes), "r"(c));
    else
        asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(bytes), "r"(c));
    return result;
}

/* Return the same for the two highest bytes: a applies to the third byte, b to the highest. */
FUNCTION u32 dot_high(u32 bytes, i32 a, i32 b, u32 c)
{
    u32 result, factors = ((u32)a & 0xFFFF) | (u32)b << 16;
    if (a < 0 || b < 0)
        asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(bytes), "r"(c));
    else
        asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(factors), "r"(bytes), "r"(c));
    return result;
}

/* Truncate a number to an integer. Numbers out of range become the nearest integer, and NaN becomes 0. */
FUNCTION i32 saturated_integer(float value)
{
    return __float2int_rz(value);
}

/* Saturate four values to 0…255 and pack them, the first in the lowest byte. */
FUNCTION u32 pack_bytes(i32 a, i32 b, i32 c, i32 d)
{
    u32 high, result;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(d), "r"(c), "r"(0));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(b), "r"(a), "r"(high));
    return result;
}

/* Saturate two values to signed 16 bits and pack them, the first in the low half. */
FUNCTION u32 pack_halves(i32 a, i32 b)
{
    u32 result;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(result) : "r"(b), "r"(a));
    return result;
}

/* Return whether an address lies on a word boundary. */
FUNCTION u32 is_aligned(GLOBAL const u8 *at)
{
    return ((u64)at & 3) == 0;
}

FUNCTION float float_of(u32 bits)
{
    return __uint_as_float(bits);
}

FUNCTION u32 bits_of(float value)
{
    return __float_as_uint(value);
}

typedef uint2 u32x2;
typedef uint4 u32x4;

FUNCTION u32x2 make_u32x2(u32 x, u32 y)
{
    return make_uint2(x, y);
}

/*
 * The address of a place in the work-group's memory, in bytes. It is computed once and not at each access, which on
 * sm_90 reads a special register each time. `origin` is 0, but the compiler must not know that.
 */
typedef u32 local_place;

FUNCTION local_place as_local_place(LOCAL void *p, u32 origin)
{
    u32 at;
    asm volatile("xor.b32 %0, %1, %2;" : "=r"(at) : "r"((u32)__cvta_generic_to_shared(p)), "r"(origin));
    return at;
}

FUNCTION u32 local_byte(local_place at)
{
    u32 value;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(value) : "r"(at));
    return value;
}

FUNCTION u32 local_word(local_place at)
{
    u32 value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
    return value;
}

FUNCTION u32x2 local_pair(local_place at)
{
    u32x2 value;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "r"(at));
    return value;
}

FUNCTION void put_local_word(local_place at, u32 value)
{
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(value) : "memory");
}

FUNCTION u32x4 make_u32x4(u32 x, u32 y, u32 z, u32 w)
{
    return make_uint4(x, y, z, w);
}

#else

#pragma OPENCL FP_CONTRACT OFF

/* On a CPU arrays in memory are as fast as registers, and the compiler would take minutes to unroll the loops. */
#if defined(__x86_64__) || defined(__aarch64__)
#define UNROLL
#define LARGE_FUNCTION OUTLINED
#else
#define LARGE_FUNCTION FUNCTION
#define UNROLL _Pragma("unroll")
#endif
#define ROLL _Pragma("unroll 1")
#define OUTLINED static __attribute__((noinline))

typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef short i16;
typedef int i32;
typedef long i64;

#define KERNEL(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define DENSE_KERNEL(n, m) KERNEL(n)
/* NVIDIA limits the registers only of kernels that name no work-group size. */
#if defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
#define SLIM_KERNEL(n, m) __kernel void
#else
#define SLIM_KERNEL(n, m) KERNEL(n)
#endif
#define FUNCTION static inline
#define GLOBAL __global
#define LOCAL __local
#define SHARED __local
#define TABLE __constant
#define SPREAD_TABLE __constant
#define RESTRICT restrict

FUNCTION u32 local_index(void)
{
    return (u32)get_local_id(0);
}

FUNCTION u32 group_index(void)
{
    return (u32)get_group_id(0);
}

FUNCTION void barrier_local(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

FUNCTION void barrier_all(void)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

FUNCTION u32 leading_zeros(u32 x)
{
    return clz(x);
}

FUNCTION u32 top_zeros(u32 x)
{
    return clz(x);
}

FUNCTION u32 bit_length(u32 x)
{
    return 32 - clz(x);
}

FUNCTION u32 signed_length(i32 x)
{
    return 32 - clz((u32)(x ^ (x >> 31)));
}

FUNCTION u32 ones(u32 x)
{
    return popcount(x);
}

FUNCTION u32 count_up(volatile GLOBAL u32 *p, u32 x)
{
    return atomic_add(p, x);
}

FUNCTION u32 count_up_local(volatile LOCAL u32 *p, u32 x)
{
    return atomic_add(p, x);
}

FUNCTION u32 atomic_least(volatile GLOBAL u32 *p, u32 x)
{
    return atomic_min(p, x);
}

FUNCTION u32 atomic_least_local(volatile LOCAL u32 *p, u32 x)
{
    return atomic_min(p, x);
}

FUNCTION u32 atomic_greatest(volatile GLOBAL u32 *p, u32 x)
{
    return atomic_max(p, x);
}

FUNCTION u32 current(volatile GLOBAL u32 *p)
{
    return atomic_or(p, 0);
}

FUNCTION u32 current_local(volatile LOCAL u32 *p)
{
    return atomic_or(p, 0);
}

FUNCTION void join(volatile GLOBAL u32 *p, u32 x)
{
    atomic_or(p, x);
}

FUNCTION void join_local(volatile LOCAL u32 *p, u32 x)
{
    atomic_or(p, x);
}

FUNCTION u32 high_product(u32 x, u32 y)
{
    return mul_hi(x, y);
}

FUNCTION u32 shift_pair(u32 low, u32 high, u32 shift)
{
    return (u32)(((u64)high << 32 | low) >> (shift & 31));
}

FUNCTION u32 shift_down(u32 x, u32 n)
{
    return x >> (n & 31);
}

FUNCTION u32 shift_up(u32 x, u32 n)
{
    return x << (n & 31);
}

FUNCTION u32 funnel(u32 high, u32 low, u32 n)
{
    return (u32)((((u64)high << 32 | low) << (n & 31)) >> 32);
}

FUNCTION u32 swap_bytes(u32 x)
{
    return as_uint(as_uchar4(x).s3210);
}

FUNCTION u32 pick_bytes(u32 x, u32 y, u32 places)
{
#if defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
    u32 result;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(places));
    return result;
#else
    u64 both = (u64)y << 32 | x;
    return (u32)(both >> (places % 8 * 8)) % 256 | (u32)(both >> (places / 16 % 8 * 8)) % 256 << 8 |
           (u32)(both >> (places / 256 % 8 * 8)) % 256 << 16 | (u32)(both >> (places / 4096 % 8 * 8)) % 256 << 24;
#endif
}

FUNCTION u32 dot_low(u32 bytes, i32 a, i32 b, u32 c)
{
    return c + (u32)a * (bytes & 255) + (u32)b * (bytes >> 8 & 255);
}

FUNCTION u32 dot_high(u32 bytes, i32 a, i32 b, u32 c)
{
    return c + (u32)a * (bytes >> 16 & 255) + (u32)b * (bytes >> 24);
}

FUNCTION i32 saturated_integer(float value)
{
    return convert_int_sat_rtz(value);
}

FUNCTION u32 pack_bytes(i32 a, i32 b, i32 c, i32 d)
{
    return (u32)clamp(a, 0, 255) | (u32)clamp(b, 0, 255) << 8 | (u32)clamp(c, 0, 255) << 16 |
           (u32)clamp(d, 0, 255) << 24;
}

FUNCTION u32 pack_halves(i32 a, i32 b)
{
    return ((u32)clamp(a, -32768, 32767) & 0xFFFF) | (u32)clamp(b, -32768, 32767) << 16;
}

FUNCTION u32 is_aligned(GLOBAL const u8 *at)
{
    return ((uintptr_t)at & 3) == 0;
}

FUNCTION float float_of(u32 bits)
{
    return as_float(bits);
}

FUNCTION u32 bits_of(float value)
{
    return as_uint(value);
}

typedef uint2 u32x2;
typedef uint4 u32x4;

FUNCTION u32x2 make_u32x2(u32 x, u32 y)
{
    return (u32x2)(x, y);
}

typedef LOCAL u8 *local_place;

FUNCTION local_place as_local_place(LOCAL void *p, u32 origin)
{
    return (LOCAL u8 *)p + origin;
}

FUNCTION u32 local_byte(local_place at)
{
    return *at;
}

FUNCTION u32 local_word(local_place at)
{
    return *(LOCAL const u32 *)(LOCAL const void *)at;
}

FUNCTION u32x2 local_pair(local_place at)
{
    return *(LOCAL const u32x2 *)(LOCAL const void *)at;
}

FUNCTION void put_local_word(local_place at, u32 value)
{
    *(LOCAL u32 *)(LOCAL void *)at = value;
}

FUNCTION u32x4 make_u32x4(u32 x, u32 y, u32 z, u32 w)
{
    return (u32x4)(x, y, z, w);
}

#endif
