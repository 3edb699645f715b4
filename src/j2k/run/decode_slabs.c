/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes pictures that need more memory than the device has in slabs: some rows of the picture at a time. */
#include "core/report.h"
#include "j2k/run/decode.h"
#include "j2k/run/walk.h"

/*
 * Describes a slab of the picture. While one slab is decoded, the next one is planned and uploaded. If even the lowest
 * slab of full width does not fit, slabs have only some of the columns.
 */
struct slab {
    struct j2k_planned *planned; /* null: there is no slab */
    struct j2k_gpu_job *job;
    kst_region region;
};

/* Holds the state of decoding in slabs. */
struct slabs {
    struct decoding *decoding;
    struct j2k_walk walk;
    struct slab on_way; /* the slab on the device */
    bool good;          /* the device can decode everything so far, and nothing is damaged */
    uint64_t warnings;
};

/* Plan the next slab, as large as memory allows. Leaves it empty if the device cannot decode it. */
static kst_status plan_slab(struct slabs *s, struct slab *slab)
{
    struct decoding *d = s->decoding;
    kst_region region;
    do {
        enum j2k_fit fit;
        kst_j2k_run_walk_region(&s->walk, &region);
        kst_status status = kst_j2k_run_decode_gpu_plan(d, region, &fit);
        if (status || fit == J2K_FITS) {
            *slab = (struct slab){.planned = j2k_state(d->decoder)->planned, .region = region};
            j2k_state(d->decoder)->planned = NULL;
            return status;
        }
    } while (kst_j2k_run_walk_smaller(&s->walk, j2k_state(d->decoder)->excess));
    return KST_OK;
}

static kst_status fail(const struct slabs *s, const struct gpu_error *error)
{
    return kst_report_error(&s->decoding->decoder->report, error->status, KST_NO_OFFSET, "%s", error->text);
}

static kst_status begin(struct slabs *s, struct slab *slab)
{
    struct decoding *d = s->decoding;
    const struct j2k_gpu_order order = {.after = d->after};
    struct gpu_error error;
    slab->job = kst_j2k_gpu_begin(d->gpu, &slab->planned->item, 1, &order, &error);
    return slab->job ? KST_OK : fail(s, &error);
}

/*
 * End a slab: wait for the device and release the plan. This must be called for every slab, and does nothing for an
 * empty one.
 */
static kst_status end(struct slabs *s, struct slab *slab)
{
    struct decoding *d = s->decoding;
    struct j2k_gpu_damage damage = {0};
    struct j2k_gpu_times times;
    struct gpu_error error = {.status = KST_OK};
    kst_status status = KST_OK;
    if (slab->job && kst_j2k_gpu_end(slab->job, &damage, &times, &error))
        status = fail(s, &error);
    s->good = s->good && damage.blocks == 0 && d->decoder->report.warnings == s->warnings;
    if (slab->job && !status && s->good)
        status = kst_j2k_run_decode_gpu_report(d, &damage, &times);
    kst_j2k_run_decode_gpu_release(d, slab->planned);
    if (slab->job && !status && s->good &&
        !kst_progress_add(&d->progress, (uint64_t)slab->region.width * slab->region.height))
        status = kst_report_error(&d->decoder->report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
    *slab = (struct slab){.planned = NULL};
    return status;
}

/* Begin the next slab, then end the one before it. */
static kst_status step(struct slabs *s)
{
    struct slab next = {.planned = NULL};
    kst_status status = plan_slab(s, &next);
    s->good = s->good && (status || next.planned);
    kst_j2k_run_walk_on(&s->walk, next.region);
    if (!status && next.planned)
        status = begin(s, &next);
    kst_status ended = end(s, &s->on_way);
    s->on_way = next;
    return status ? status : ended;
}

bool kst_j2k_run_decode_gpu_slabs(struct decoding *d, kst_status *status)
{
    kst_report *report = &d->decoder->report;
    const kst_report before = *report;
    uint32_t width = d->image->width, height = d->image->height;
    struct slabs s = {.decoding = d, .good = true, .warnings = before.warnings};
    kst_j2k_run_walk_begin(&s.walk, width, height, 0, 2 * j2k_state(d->decoder)->excess);
    *status = KST_OK;
    kst_progress_stage(&d->progress, (uint64_t)width * height, 1);
    while (s.good && !*status && s.walk.next.y < height)
        *status = step(&s);
    kst_status ended = end(&s, &s.on_way);
    *status = *status ? *status : ended;
    if (!s.good && !*status)
        *report = before;
    return s.good || *status;
}
