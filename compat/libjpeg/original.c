/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the system's library when this one is loaded, and finds its functions and data. */
#include "original.h"

#define ORIGINAL libjpeg_original
#include "original_template.h"

/* The exported data of the system's library, copied when that has been opened. */
#if LIBJPEG_ABI >= 80
#define NAME "libjpeg.so.8"
enum { MESSAGES = 129 };
#else
#define NAME "libjpeg.so.62"
enum { MESSAGES = 130 };
#endif
enum { NATURAL_ORDER = 64 + 16, ARITHMETIC_STATES = 113 + 1 };
#pragma GCC visibility push(default)
extern int jpeg_natural_order[NATURAL_ORDER];
extern long jpeg_aritab[ARITHMETIC_STATES];
extern const char *jpeg_std_message_table[MESSAGES];
int jpeg_natural_order[NATURAL_ORDER];
long jpeg_aritab[ARITHMETIC_STATES];
const char *jpeg_std_message_table[MESSAGES];
#pragma GCC visibility pop

static void *resync;

bool libjpeg_is_standard_resync(boolean (*function)(j_decompress_ptr, int))
{
    void *address;
    memcpy(&address, &function, sizeof address);
    boolean (*own)(j_decompress_ptr, int) = jpeg_resync_to_restart;
    return address == resync || function == own;
}

static void copy(const struct compat_library *library, const char *name, void *to, size_t length)
{
    memcpy(to, compat_find(library, name), length);
}

__attribute__((constructor)) static void open_original(void)
{
    const struct compat_library library = compat_open(NAME, "KOSTKA_LIBJPEG", LIBJPEG_ORIGINAL);
    find_functions(&library);
    resync = compat_passed[INDEX_jpeg_resync_to_restart];
    if (libjpeg_original.jpeg_start_decompress == jpeg_start_decompress)
        compat_give_up(&library, "it is this library");
    copy(&library, "jpeg_natural_order", jpeg_natural_order, sizeof jpeg_natural_order);
    copy(&library, "jpeg_aritab", jpeg_aritab, sizeof jpeg_aritab);
    copy(&library, "jpeg_std_message_table", jpeg_std_message_table, sizeof jpeg_std_message_table);
}
