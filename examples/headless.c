/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a context of OpenGL with EGL, which it loads at run time, and binds Kostka to it. */
#include "headless.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { API_OPENGL = 0x30A2, MAJOR = 0x3098, MINOR = 0x30FB, NONE = 0x3038, DEVICE = 0x313F, SURFACELESS = 0x31DD };

static struct {
    kst_gl_function (*address)(const char *name);
    unsigned (*initialize)(void *display, int *major, int *minor);
    unsigned (*bind)(unsigned interface);
    void *(*make)(void *display, void *config, void *share, const int *attributes);
    unsigned (*use)(void *display, void *draw, void *from, void *context);
} egl;

static bool load_egl(void)
{
    static const char *const names[] = {
        "eglGetProcAddress", "eglInitialize", "eglBindAPI", "eglCreateContext", "eglMakeCurrent"};
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)&egl + i * sizeof function, &function, sizeof function);
    }
    return true;
}

kst_gl_function headless_load(void *user, const char *name)
{
    (void)user;
    return egl.address(name);
}

bool headless_find(const char *const *names, size_t count, void *functions)
{
    for (size_t i = 0; i < count; i++) {
        kst_gl_function function = egl.address(names[i]);
        if (!function)
            return false;
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
    }
    return true;
}

static bool start_display(void *display)
{
    static const int attributes[] = {MAJOR, 3, MINOR, 3, NONE};
    int version[2];
    if (!display || !egl.initialize(display, &version[0], &version[1]) || !egl.bind(API_OPENGL))
        return false;
    void *context = egl.make(display, NULL, NULL, attributes);
    return context && egl.use(display, NULL, NULL, context);
}

bool headless_start(void)
{
    static const char *const names[] = {"eglGetPlatformDisplay", "eglQueryDevicesEXT"};
    struct {
        void *(*display)(unsigned platform, void *native, const intptr_t *attributes);
        unsigned (*devices)(int capacity, void **devices, int *count);
    } more;
    void *device[8];
    int count = 0;
    if (!load_egl() || !headless_find(names, 2, &more))
        return false;
    if (more.devices(8, device, &count))
        for (int i = 0; i < count; i++)
            if (start_display(more.display(DEVICE, device[i], NULL)))
                return true;
    return start_display(more.display(SURFACELESS, NULL, NULL));
}

kst_gl *headless_bind(kst_context *context)
{
    kst_gl_options options;
    kst_report report;
    kst_gl *gl;
    kst_gl_options_init(&options);
    options.load = headless_load;
    kst_report_init(&report);
    if (kst_gl_create(context, &options, &gl, &report))
        fprintf(stderr, "%s\n", report.message);
    return gl;
}
