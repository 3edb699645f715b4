/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of libtiff by their own names and with its header's parameter names; each passes its arguments on to
 * the loaded library. */
#include "files/tiff_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include <tiffio.h>

#define FUNCTIONS(X)                                                                                                   \
    X(TIFFClientOpenExt)                                                                                               \
    X(TIFFClose)                                                                                                       \
    X(TIFFFlush)                                                                                                       \
    X(TIFFIsTiled)                                                                                                     \
    X(TIFFOpenOptionsAlloc)                                                                                            \
    X(TIFFOpenOptionsFree)                                                                                             \
    X(TIFFOpenOptionsSetErrorHandlerExtR)                                                                              \
    X(TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                             \
    X(TIFFOpenOptionsSetWarningHandlerExtR)                                                                            \
    X(TIFFReadRGBAImageOriented)                                                                                       \
    X(TIFFReadRGBAStripExt)                                                                                            \
    X(TIFFReadRGBATileExt)                                                                                             \
    X(TIFFReadScanline)                                                                                                \
    X(TIFFReadTile)                                                                                                    \
    X(TIFFScanlineSize)                                                                                                \
    X(TIFFTileSize)                                                                                                    \
    X(TIFFVGetField)                                                                                                   \
    X(TIFFVGetFieldDefaulted)                                                                                          \
    X(TIFFVSetField)                                                                                                   \
    X(TIFFWriteScanline)

#define POINTER(name) __typeof__(&(name)) name##_;
#define NAME(name) #name,

static struct {
    FUNCTIONS(POINTER)
} loaded;

static const char *const names[] = {FUNCTIONS(NAME)};
_Static_assert(sizeof loaded == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;

static void load(void)
{
    void *library = dlopen(KOSTKA_TIFF_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        problem_set(&failure, "TIFF needs a library that cannot be loaded: %s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(library, names[i]);
        if (symbol == NULL)
            problem_set(&failure, "%s has no %s", KOSTKA_TIFF_LIBRARY, names[i]);
        memcpy((char *)&loaded + i * sizeof symbol, &symbol, sizeof symbol);
    }
}

bool tiff_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' || problem_set(problem, "%s", failure.text);
}

TIFF *TIFFClientOpenExt(const char *name, const char *mode, thandle_t handle, TIFFReadWriteProc read,
    TIFFReadWriteProc write, TIFFSeekProc seek, TIFFCloseProc close, TIFFSizeProc size, TIFFMapFileProc map,
    TIFFUnmapFileProc unmap, TIFFOpenOptions *opts)
{
    return loaded.TIFFClientOpenExt_(name, mode, handle, read, write, seek, close, size, map, unmap, opts);
}

void TIFFClose(TIFF *tiff)
{
    loaded.TIFFClose_(tiff);
}

int TIFFFlush(TIFF *tiff)
{
    return loaded.TIFFFlush_(tiff);
}

int TIFFIsTiled(TIFF *tiff)
{
    return loaded.TIFFIsTiled_(tiff);
}

TIFFOpenOptions *TIFFOpenOptionsAlloc(void)
{
    return loaded.TIFFOpenOptionsAlloc_();
}

void TIFFOpenOptionsFree(TIFFOpenOptions *options)
{
    loaded.TIFFOpenOptionsFree_(options);
}

void TIFFOpenOptionsSetErrorHandlerExtR(
    TIFFOpenOptions *opts, TIFFErrorHandlerExtR handler, void *errorhandler_user_data)
{
    loaded.TIFFOpenOptionsSetErrorHandlerExtR_(opts, handler, errorhandler_user_data);
}

void TIFFOpenOptionsSetMaxSingleMemAlloc(TIFFOpenOptions *opts, tmsize_t max_single_mem_alloc)
{
    loaded.TIFFOpenOptionsSetMaxSingleMemAlloc_(opts, max_single_mem_alloc);
}

void TIFFOpenOptionsSetWarningHandlerExtR(
    TIFFOpenOptions *opts, TIFFErrorHandlerExtR handler, void *warnhandler_user_data)
{
    loaded.TIFFOpenOptionsSetWarningHandlerExtR_(opts, handler, warnhandler_user_data);
}

int TIFFReadRGBAImageOriented(
    TIFF *tiff, uint32_t width, uint32_t height, uint32_t *raster, int orientation, int stop_on_error)
{
    return loaded.TIFFReadRGBAImageOriented_(tiff, width, height, raster, orientation, stop_on_error);
}

int TIFFReadRGBAStripExt(TIFF *tiff, uint32_t row, uint32_t *raster, int stop_on_error)
{
    return loaded.TIFFReadRGBAStripExt_(tiff, row, raster, stop_on_error);
}

int TIFFReadRGBATileExt(TIFF *tiff, uint32_t x, uint32_t y, uint32_t *raster, int stop_on_error)
{
    return loaded.TIFFReadRGBATileExt_(tiff, x, y, raster, stop_on_error);
}

int TIFFReadScanline(TIFF *tif, void *buf, uint32_t row, uint16_t sample)
{
    return loaded.TIFFReadScanline_(tif, buf, row, sample);
}

tmsize_t TIFFReadTile(TIFF *tif, void *buf, uint32_t x, uint32_t y, uint32_t z, uint16_t s)
{
    return loaded.TIFFReadTile_(tif, buf, x, y, z, s);
}

tmsize_t TIFFTileSize(TIFF *tiff)
{
    return loaded.TIFFTileSize_(tiff);
}

tmsize_t TIFFScanlineSize(TIFF *tiff)
{
    return loaded.TIFFScanlineSize_(tiff);
}

int TIFFWriteScanline(TIFF *tif, void *buf, uint32_t row, uint16_t sample)
{
    return loaded.TIFFWriteScanline_(tif, buf, row, sample);
}

/* Functions of any number of arguments, which have twins that take a list of them. */
#define FIELD_FUNCTION(name, twin)                                                                                     \
    int name(TIFF *tiff, uint32_t tag, ...)                                                                            \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, tag);                                                                                      \
        int result = loaded.twin##_(tiff, tag, arguments);                                                             \
        va_end(arguments);                                                                                             \
        return result;                                                                                                 \
    }

FIELD_FUNCTION(TIFFGetField, TIFFVGetField)
FIELD_FUNCTION(TIFFGetFieldDefaulted, TIFFVGetFieldDefaulted)
FIELD_FUNCTION(TIFFSetField, TIFFVSetField)
