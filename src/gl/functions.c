/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the functions of OpenGL and checks the context that is current. */
#include "gl/functions.h"

#include <string.h>

#include "core/report.h"

static const struct symbol {
    const char *name;
} symbols[] = {
#define GL_SYMBOL(member, symbol, result, parameters) {symbol},
    GL_SYMBOLS(GL_SYMBOL)
#undef GL_SYMBOL
};

enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

_Static_assert(offsetof(struct gl_functions, texture_read) == SYMBOLS * sizeof(kst_gl_function), "a pointer a symbol");

static void store(void *member, kst_gl_function function)
{
    memcpy(member, &function, sizeof function);
}

static kst_status refuse(kst_report *report, const char *text)
{
    return kst_report_error(report, KST_ERROR_GL_CONTEXT, KST_NO_OFFSET, "%s", text);
}

/*
 * Load the function that returns the current context. GLX is asked only if EGL is missing, because EGL loaders may
 * return a function for every name that begins with "gl".
 */
static kst_status load_current(struct gl_functions *gl, kst_gl_loader load, void *user, kst_report *report)
{
    kst_gl_function current = load(user, "eglGetCurrentContext");
    if (!current)
        current = load(user, "glXGetCurrentContext");
    store(&gl->current, current);
    return gl->current && !gl->current() ? refuse(report, "none is current") : KST_OK;
}

static kst_status load_version(struct gl_functions *gl, kst_report *report)
{
    const char *version = (const char *)gl->get_string(GL_VERSION);
    if (!version)
        return refuse(report, "none is current");
    gl->es = strncmp(version, "OpenGL ES", 9) == 0;
    if (kst_gl_check(gl, "before the call", report))
        return KST_ERROR_GL_FAILED;
    gl->get(GL_MAJOR_VERSION, &gl->major);
    gl->get(GL_MINOR_VERSION, &gl->minor);
    kst_gl_clear_errors(gl); /* versions before 3 do not have these names and report an error */
    int is = gl->major * 10 + gl->minor;
    return is < (gl->es ? 31 : 32) ? refuse(report, "OpenGL 3.2 or OpenGL ES 3.1 is needed") : KST_OK;
}

static kst_status load_further(struct gl_functions *gl, kst_gl_loader load, void *user, kst_report *report)
{
    int is = gl->major * 10 + gl->minor;
    if (!gl->es)
        store(&gl->texture_read, load(user, "glGetTexImage"));
    if (is >= (gl->es ? 32 : 45))
        store(&gl->reset_status, load(user, "glGetGraphicsResetStatus"));
    store(&gl->memories_make, load(user, "glCreateMemoryObjectsEXT"));
    store(&gl->memories_delete, load(user, "glDeleteMemoryObjectsEXT"));
    store(&gl->memory_import, load(user, "glImportMemoryFdEXT"));
    store(&gl->memory_to_buffer, load(user, "glBufferStorageMemEXT"));
    return gl->es || gl->texture_read ? KST_OK : refuse(report, "glGetTexImage is missing");
}

kst_status kst_gl_load(struct gl_functions *gl, kst_gl_loader load, void *user, kst_report *report)
{
    *gl = (struct gl_functions){.es = false};
    kst_status status = load_current(gl, load, user, report);
    for (size_t i = 0; i < SYMBOLS && !status; i++) {
        kst_gl_function function = load(user, symbols[i].name);
        store((char *)gl + i * sizeof function, function);
        if (!function)
            status = kst_report_error(report, KST_ERROR_GL_CONTEXT, KST_NO_OFFSET, "%s is missing", symbols[i].name);
    }
    if (!status)
        status = load_version(gl, report);
    return status ? status : load_further(gl, load, user, report);
}

const char *kst_gl_error_name(unsigned error)
{
    static const char *const names[] = {"INVALID_ENUM", "INVALID_VALUE", "INVALID_OPERATION", "STACK_OVERFLOW",
        "STACK_UNDERFLOW", "OUT_OF_MEMORY", "INVALID_FRAMEBUFFER_OPERATION", "CONTEXT_LOST"};
    return error >= 0x500 && error < 0x508 ? names[error - 0x500] : "an unknown error";
}

/*
 * Clear all errors. There is one error flag of each kind, but a lost context may report its loss for ever, so the loop
 * is bounded.
 */
unsigned kst_gl_clear_errors(const struct gl_functions *gl)
{
    unsigned first = gl->get_error();
    for (int i = 0; first != GL_NO_ERROR && i < 16 && gl->get_error() != GL_NO_ERROR; i++)
        ;
    return first;
}

kst_status kst_gl_check(const struct gl_functions *gl, const char *what, kst_report *report)
{
    unsigned error = kst_gl_clear_errors(gl);
    if (error == GL_NO_ERROR)
        return KST_OK;
    return kst_report_error(report, KST_ERROR_GL_FAILED, KST_NO_OFFSET, "%s: %s", what, kst_gl_error_name(error));
}
