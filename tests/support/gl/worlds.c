/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes contexts of OpenGL and OpenGL ES with EGL, and enters them. */
#include "support/gl/worlds.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct world world[MOST_WORLDS];
uint32_t worlds;

enum {
    EGL_OPENGL_ES_API = 0x30A0,
    EGL_OPENGL_API = 0x30A2,
    EGL_MAJOR = 0x3098,
    EGL_MINOR = 0x30FB,
    EGL_NONE = 0x3038,
    EGL_PLATFORM_DEVICE = 0x313F,
    EGL_PLATFORM_SURFACELESS = 0x31DD,
    MOST_DEVICES = 4
};

#define EGL_SYMBOLS(X)                                                                                                 \
    X(address, "eglGetProcAddress", kst_gl_function, (const char *name))                                               \
    X(initialize, "eglInitialize", unsigned, (void *display, int *major, int *minor))                                  \
    X(bind, "eglBindAPI", unsigned, (unsigned interface))                                                              \
    X(make, "eglCreateContext", void *, (void *display, void *config, void *share, const int *attributes))             \
    X(end, "eglDestroyContext", unsigned, (void *display, void *context))                                              \
    X(use, "eglMakeCurrent", unsigned, (void *display, void *draw, void *from, void *context))

static struct {
    EGL_SYMBOLS(GL_MEMBER)
} egl;

kst_gl_function load_gl(void *user, const char *name)
{
    (void)user;
    return egl.address(name);
}

static bool load_egl(void)
{
    static const char *const names[] = {
#define EGL_NAME(member, symbol, result, parameters) symbol,
        EGL_SYMBOLS(EGL_NAME)};
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)&egl + i * sizeof function, &function, sizeof function);
    }
    return true;
}

static void load_more(struct world *w)
{
    static const char *const names[] = {
#define TEST_NAME(member, symbol, result, parameters) symbol,
        TEST_SYMBOLS(TEST_NAME)};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        kst_gl_function function = load_gl(NULL, names[i]);
        assert_true(function != NULL);
        memcpy((char *)&w->more + i * sizeof function, &function, sizeof function);
    }
}

static void *make_context(const struct world *w, bool es)
{
    const int desktop[] = {EGL_MAJOR, 3, EGL_MINOR, 3, EGL_NONE}, embedded[] = {EGL_MAJOR, 3, EGL_MINOR, 1, EGL_NONE};
    egl.bind(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    return egl.make(w->display, NULL, NULL, es ? embedded : desktop);
}

static void add_world(void *display, bool es)
{
    kst_report report;
    kst_report_init(&report);
    struct world *w = &world[worlds];
    if (worlds == MOST_WORLDS)
        return;
    w->display = display;
    w->context = make_context(w, es);
    if (!w->context)
        return;
    enter_world(w);
    if (kst_gl_load(&w->gl, load_gl, NULL, &report))
        fail_msg("%s", report.message);
    load_more(w);
    snprintf(w->name, sizeof w->name, "%s", (const char *)w->gl.get_string(GL_VERSION));
    printf("in %s\n", w->name);
    worlds++;
}

static void add_display(void *(*get)(unsigned, void *, const intptr_t *), unsigned platform, void *device)
{
    int version[2];
    void *display = get(platform, device, NULL);
    if (!display || !egl.initialize(display, &version[0], &version[1]))
        return;
    add_world(display, false);
    add_world(display, true);
}

static void add_displays(void)
{
    void *(*get)(unsigned, void *, const intptr_t *);
    unsigned (*devices)(int, void **, int *);
    void *device[MOST_DEVICES];
    int count = 0;
    kst_gl_function function = egl.address("eglGetPlatformDisplay");
    memcpy(&get, &function, sizeof get);
    function = egl.address("eglQueryDevicesEXT");
    memcpy(&devices, &function, sizeof devices);
    if (get && devices && devices(MOST_DEVICES, device, &count))
        for (int i = 0; i < count; i++)
            add_display(get, EGL_PLATFORM_DEVICE, device[i]);
    if (get && worlds == 0)
        add_display(get, EGL_PLATFORM_SURFACELESS, NULL);
}

int start_worlds(void **state)
{
    (void)state;
    if (load_egl())
        add_displays();
    if (worlds > 0)
        return 0;
    puts("no EGL, or no OpenGL without a window");
    exit(77);
}

/* Destroy the contexts. Displays stay open: the leaks of an unloaded driver could not be told from others. */
int stop_worlds(void **state)
{
    (void)state;
    enter_world(NULL);
    for (uint32_t i = 0; i < worlds; i++)
        egl.end(world[i].display, world[i].context);
    worlds = 0;
    return 0;
}

void use_context(const struct world *w, void *context)
{
    egl.bind(w->gl.es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    assert_true(egl.use(w->display, NULL, NULL, context));
}

void enter_world(const struct world *w)
{
    if (w)
        assert_true(egl.use(w->display, NULL, NULL, w->context));
    for (uint32_t i = 0; i < worlds && !w; i++)
        use_context(&world[i], NULL);
}

void *add_context(const struct world *w)
{
    return make_context(w, w->gl.es);
}

void end_context(const struct world *w, void *context)
{
    egl.end(w->display, context);
}
