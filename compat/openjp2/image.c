/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and destroys the images of OpenJPEG's interface. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <openjpeg.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 2 << 20 };

/*
 * Samples of four bytes are written once from end to end, and with pages of 4 KiB much of that time goes to page
 * faults. So planes begin with a large page, and the system is asked for those that lie wholly inside the plane.
 */
void *opj_image_data_alloc(OPJ_SIZE_T size)
{
    void *memory = NULL;
    const size_t large = size / LARGE_PAGE * LARGE_PAGE;
    if (posix_memalign(&memory, large > 0 ? LARGE_PAGE : ALIGNMENT, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large > 0)
        madvise(memory, large, MADV_HUGEPAGE);
#endif
    return memory;
}

void opj_image_data_free(void *memory)
{
    free(memory);
}

void opj_image_destroy(opj_image_t *image)
{
    if (!image)
        return;
    for (OPJ_UINT32 i = 0; image->comps && i < image->numcomps; i++)
        opj_image_data_free(image->comps[i].data);
    free(image->comps);
    free(image->icc_profile_buf);
    free(image);
}

opj_image_t *opj_image_tile_create(OPJ_UINT32 count, opj_image_cmptparm_t *parameters, OPJ_COLOR_SPACE colour)
{
    opj_image_t *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    image->color_space = colour;
    image->numcomps = count;
    image->comps = calloc(count > 0 ? count : 1, sizeof *image->comps);
    if (!image->comps) {
        opj_image_destroy(image);
        return NULL;
    }
    for (OPJ_UINT32 i = 0; i < count; i++) {
        const opj_image_cmptparm_t *from = &parameters[i];
        image->comps[i] = (opj_image_comp_t){.dx = from->dx,
            .dy = from->dy,
            .w = from->w,
            .h = from->h,
            .x0 = from->x0,
            .y0 = from->y0,
            .prec = from->prec,
            .sgnd = from->sgnd};
    }
    return image;
}

/* Allocate zeroed memory for a component. Returns false if its size overflows, or if out of memory. */
static OPJ_BOOL allocate(opj_image_comp_t *component)
{
    if (component->h > 0 && component->w > SIZE_MAX / sizeof *component->data / component->h)
        return OPJ_FALSE;
    size_t bytes = (size_t)component->w * component->h * sizeof *component->data;
    component->data = opj_image_data_alloc(bytes);
    if (component->data)
        memset(component->data, 0, bytes);
    return component->data != NULL;
}

opj_image_t *opj_image_create(OPJ_UINT32 count, opj_image_cmptparm_t *parameters, OPJ_COLOR_SPACE colour)
{
    opj_image_t *image = opj_image_tile_create(count, parameters, colour);
    for (OPJ_UINT32 i = 0; image && i < count; i++)
        if (!allocate(&image->comps[i])) {
            opj_image_destroy(image);
            return NULL;
        }
    return image;
}
