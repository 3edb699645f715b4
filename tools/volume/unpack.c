/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands bricks by libdeflate, libzstd and libblosc. No more is written than a brick has. */
#include "volume/unpack.h"

#include <string.h>

#include "files/deflate/library.h"
#ifdef KOSTKA_BLOSC_LIBRARY
#include "volume/blosc_library.h"
#endif
#ifdef KOSTKA_ZSTD_LIBRARY
#include "volume/zstd_library.h"
#endif

static const char *const names[] = {[PACKING_NONE] = "bytes",
    [PACKING_GZIP] = "gzip",
    [PACKING_ZLIB] = "zlib",
    [PACKING_ZSTD] = "zstd",
    [PACKING_BLOSC] = "blosc"};

bool packing_find(const char *name, enum packing *packing)
{
    for (size_t i = PACKING_GZIP; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *packing = (enum packing)i;
            return true;
        }
    return false;
}

const char *packing_name(enum packing packing)
{
    return names[packing];
}

static bool fail_long(enum packing packing, size_t room, struct problem *problem)
{
    return problem_set(problem, "its %s expands to more than the %zu bytes of a chunk", names[packing], room);
}

/* Check what was made, of `used` bytes of all. */
static bool check_whole(
    enum packing packing, size_t used, size_t length, size_t made, size_t room, struct problem *problem)
{
    if (made < room)
        return problem_set(problem, "its %s expands to %zu bytes, and a chunk has %zu", names[packing], made, room);
    return used == length ||
           problem_set(problem, "%zu bytes follow the %s, which ends at byte %zu", length - used, names[packing], used);
}

static bool expand_deflate(
    enum packing packing, const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    size_t used = 0, made = 0;
    if (!deflate_library_load(problem))
        return false;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL)
        return problem_set(problem, "out of memory");
    const enum libdeflate_result result =
        packing == PACKING_GZIP ? libdeflate_gzip_decompress_ex(decompressor, from, length, to, room, &used, &made)
                                : libdeflate_zlib_decompress_ex(decompressor, from, length, to, room, &used, &made);
    libdeflate_free_decompressor(decompressor);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return fail_long(packing, room, problem);
    if (result != LIBDEFLATE_SUCCESS)
        return problem_set(problem, "its %s is damaged, or ends early", names[packing]);
    return check_whole(packing, used, length, made, room, problem);
}

#ifdef KOSTKA_ZSTD_LIBRARY
static bool expand_zstd(const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    if (!zstd_library_load(problem))
        return false;
    const size_t made = ZSTD_decompress(to, room, from, length);
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(made);
    if (code == ZSTD_error_dstSize_tooSmall)
        return fail_long(PACKING_ZSTD, room, problem);
    if (code != ZSTD_error_no_error)
        return problem_set(problem, "its zstd is damaged, or ends early: %s", ZSTD_getErrorName(made));
    return check_whole(PACKING_ZSTD, length, length, made, room, problem);
}
#else
static bool expand_zstd(const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    (void)from, (void)length, (void)to, (void)room;
    return problem_set(problem, "zstd is read with libzstd, which was missing when this program was built");
}
#endif

#ifdef KOSTKA_BLOSC_LIBRARY
static bool expand_blosc(const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    size_t made = 0;
    if (!blosc_library_load(problem))
        return false;
    if (blosc_cbuffer_validate(from, length, &made) < 0)
        return problem_set(problem, "the header of its blosc is damaged, or it has not %zu bytes", length);
    if (made != room)
        return problem_set(problem, "its blosc expands to %zu bytes, and a chunk has %zu", made, room);
    const int got = blosc_decompress_ctx(from, to, room, 1);
    return (got >= 0 && (size_t)got == room) ||
           problem_set(problem, "its blosc is damaged, or of a codec that libblosc lacks");
}
#else
static bool expand_blosc(const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    (void)from, (void)length, (void)to, (void)room;
    return problem_set(problem, "blosc is read with libblosc, which was missing when this program was built");
}
#endif

bool packing_expand(
    enum packing packing, const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem)
{
    if (packing == PACKING_BLOSC)
        return expand_blosc(from, length, to, room, problem);
    return packing == PACKING_ZSTD ? expand_zstd(from, length, to, room, problem)
                                   : expand_deflate(packing, from, length, to, room, problem);
}
