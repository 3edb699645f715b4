/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a library, and prints what it takes the public structures of its interface for: which sizes it accepts, how
 * many bytes it writes, and which values lie where the header has their members. The test compares what it prints of
 * two libraries: abi libjpeg|turbojpeg|openjp2 FILE
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <openjpeg.h>
#include <turbojpeg.h>

enum { FILLER = 0xA5, MOST = 1 << 16 };

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        printf("%s is missing\n", name);
        exit(1);
    }
    return found;
}

/* Print where the last byte that was written lies, and a sum of all up to there. */
static void describe(const char *what, const unsigned char *bytes)
{
    size_t length = MOST;
    uint32_t sum = 2166136261;
    while (length > 0 && bytes[length - 1] == FILLER)
        length--;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * 16777619;
    printf("%s: %zu bytes, sum %08" PRIx32 "\n", what, length, sum);
}

static jmp_buf refused;

static void refuse(j_common_ptr info)
{
    (void)info;
    longjmp(refused, 1);
}

typedef void (*create)(void *, int, size_t);

static bool accepts(create make, void *structure, int version, size_t size)
{
    struct jpeg_error_mgr *(*errors)(struct jpeg_error_mgr *) =
        (struct jpeg_error_mgr * (*)(struct jpeg_error_mgr *)) function("jpeg_std_error");
    void (*destroy)(void *) = (void (*)(void *))function("jpeg_destroy");
    struct jpeg_error_mgr manager;
    memset(structure, 0, MOST);
    ((struct jpeg_common_struct *)structure)->err = errors(&manager);
    manager.error_exit = refuse;
    if (setjmp(refused) != 0)
        return false;
    make(structure, version, size);
    destroy(structure);
    return true;
}

static void print_accepted(const char *name, void *structure, size_t size)
{
    create make = (create)function(name);
    for (int version = 60; version <= 100; version++)
        if (accepts(make, structure, version, size))
            printf("%s: version %d\n", name, version);
    for (size_t other = 0; other < 2000; other++)
        if (accepts(make, structure, JPEG_LIB_VERSION, other))
            printf("%s: %zu bytes\n", name, other);
}

static void libjpeg(unsigned char *bytes)
{
    struct jpeg_error_mgr *(*errors)(struct jpeg_error_mgr *) =
        (struct jpeg_error_mgr * (*)(struct jpeg_error_mgr *)) function("jpeg_std_error");
    struct jpeg_error_mgr manager;
    memset(&manager, FILLER, sizeof manager);
    errors(&manager);
    printf("jpeg_std_error: %d %ld %d %d\n", manager.trace_level, manager.num_warnings, manager.msg_code,
        manager.last_jpeg_message);
    print_accepted("jpeg_CreateDecompress", bytes, sizeof(struct jpeg_decompress_struct));
    print_accepted("jpeg_CreateCompress", bytes, sizeof(struct jpeg_compress_struct));
}

static void turbojpeg(unsigned char *bytes)
{
    int count = 0;
    (void)bytes;
    tjscalingfactor *(*factors)(int *) = (tjscalingfactor * (*)(int *)) function("tjGetScalingFactors");
    unsigned long (*most)(int, int, int) = (unsigned long (*)(int, int, int))function("tjBufSize");
    unsigned long (*plane)(int, int, int, int, int) =
        (unsigned long (*)(int, int, int, int, int))function("tjPlaneSizeYUV");
    const tjscalingfactor *factor = factors(&count);
    for (int i = 0; i < count; i++)
        printf("factor %d/%d\n", factor[i].num, factor[i].denom);
    for (int sampling = 0; sampling < TJ_NUMSAMP; sampling++)
        printf("sizes %lu %lu\n", most(37, 53, sampling), plane(sampling == TJSAMP_GRAY ? 0 : 1, 37, 0, 53, sampling));
}

static void openjp2(unsigned char *bytes)
{
    void (*defaults)(void *);
    opj_image_t *(*make)(OPJ_UINT32, opj_image_cmptparm_t *, OPJ_COLOR_SPACE) =
        (opj_image_t * (*)(OPJ_UINT32, opj_image_cmptparm_t *, OPJ_COLOR_SPACE)) function("opj_image_create");
    void (*destroy)(opj_image_t *) = (void (*)(opj_image_t *))function("opj_image_destroy");
    opj_image_cmptparm_t component[2] = {{.dx = 1, .dy = 2, .w = 30, .h = 40, .x0 = 5, .y0 = 6, .prec = 12, .sgnd = 1},
        {.dx = 3, .dy = 4, .w = 10, .h = 20, .x0 = 7, .y0 = 8, .prec = 8}};
    memset(bytes, FILLER, MOST);
    defaults = (void (*)(void *))function("opj_set_default_decoder_parameters");
    defaults(bytes);
    describe("opj_dparameters_t", bytes);
    memset(bytes, FILLER, MOST);
    defaults = (void (*)(void *))function("opj_set_default_encoder_parameters");
    defaults(bytes);
    describe("opj_cparameters_t", bytes);
    opj_image_t *image = make(2, component, OPJ_CLRSPC_SRGB);
    printf("opj_image_t: %u %u %u %u %u %d\n", image->x0, image->y0, image->x1, image->y1, image->numcomps,
        (int)image->color_space);
    for (int i = 0; i < 2; i++) {
        const opj_image_comp_t *c = image->comps + i;
        printf("opj_image_comp_t: %u %u %u %u %u %u %u %u %u %u %d %u\n", c->dx, c->dy, c->w, c->h, c->x0, c->y0,
            c->prec, c->sgnd, c->resno_decoded, c->factor, c->data != NULL, (unsigned)c->alpha);
    }
    destroy(image);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(unsigned char *);
    } libraries[] = {{"libjpeg", libjpeg}, {"turbojpeg", turbojpeg}, {"openjp2", openjp2}};
    unsigned char *bytes = malloc(MOST);
    if (argc != 3 || bytes == NULL || (library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL)) == NULL) {
        fprintf(stderr, "abi libjpeg|turbojpeg|openjp2 FILE: %s\n", argc == 3 ? dlerror() : "");
        return 2;
    }
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(argv[1], libraries[i].name) == 0)
            libraries[i].print(bytes);
    free(bytes);
    return 0;
}
