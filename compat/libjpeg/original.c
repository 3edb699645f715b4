/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the system's library when this one is loaded, and finds its functions and data. */
#include "original.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_SYMBOLS_FIRST 0 /* sanitizers refuse it; calls inside the system's library then pass through this one */
#else
#define OWN_SYMBOLS_FIRST RTLD_DEEPBIND
#endif

struct libjpeg_original libjpeg_original;

enum {
#define PASS(name) INDEX_##name,
#define TAKE(name)
#include "functions.h"
#undef PASS
#undef TAKE
    PASSED
};

extern void *kst_libjpeg_passed[PASSED] __attribute__((visibility("hidden")));
void *kst_libjpeg_passed[PASSED];

/* The exported data of the system's library, copied when it has been opened. */
enum { NATURAL_ORDER = 64 + 16, ARITHMETIC_STATES = 113 + 1, MESSAGES = 130 };
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

/* Say why no picture can be decoded, and end as a program does whose library is missing. */
static void give_up(const char *why)
{
    fprintf(stderr, "kostka: the system's libjpeg.so.62 cannot be used: %s\n", why);
    _exit(127);
}

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        give_up(dlerror());
    return found;
}

static void copy(void *library, const char *name, void *to, size_t length)
{
    memcpy(to, find(library, name), length);
}

__attribute__((constructor)) static void open_original(void)
{
    const char *path = getenv("KOSTKA_LIBJPEG");
    void *library = dlopen(path && *path ? path : LIBJPEG_ORIGINAL, RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS_FIRST);
    if (!library)
        give_up(dlerror());
#define PASS(name) kst_libjpeg_passed[INDEX_##name] = find(library, #name);
#define TAKE(name)                                                                                                     \
    {                                                                                                                  \
        void *found = find(library, #name);                                                                            \
        memcpy(&libjpeg_original.name, &found, sizeof found);                                                          \
    }
#include "functions.h"
#undef PASS
#undef TAKE
    resync = kst_libjpeg_passed[INDEX_jpeg_resync_to_restart];
    if (libjpeg_original.jpeg_start_decompress == jpeg_start_decompress)
        give_up("it is this library");
    copy(library, "jpeg_natural_order", jpeg_natural_order, sizeof jpeg_natural_order);
    copy(library, "jpeg_aritab", jpeg_aritab, sizeof jpeg_aritab);
    copy(library, "jpeg_std_message_table", jpeg_std_message_table, sizeof jpeg_std_message_table);
}
