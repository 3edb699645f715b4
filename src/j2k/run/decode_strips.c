/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEG 2000 that take more memory than there is: strips of them, one after the other. */
#include "core/report.h"
#include "j2k/run/decode.h"
#include "j2k/run/walk.h"

/* While one is decoded the next one is planned and sent. Where not even the lowest have room, some columns are one. */
struct strip {
    struct j2k_planned *planned; /* null: none */
    struct j2k_job *job;
    kst_region part;
};

/* Where strips are. */
struct strips {
    struct decoding *decoding;
    struct j2k_walk walk;
    struct strip on_way; /* on the device */
    bool good;           /* all that the device shall do it can, and nothing is damaged */
    uint64_t warnings;
};

/* The next strip, as large as there is room for; none where the device cannot. */
static kst_status plan_strip(struct strips *s, struct strip *strip)
{
    struct decoding *d = s->decoding;
    kst_region part;
    do {
        enum j2k_fit fit;
        kst_j2k_walk_part(&s->walk, &part);
        kst_status status = kst_j2k_gpu_plan(d, part, &fit);
        if (status || fit == J2K_FITS) {
            *strip = (struct strip){.planned = j2k_state(d->decoder)->planned, .part = part};
            j2k_state(d->decoder)->planned = NULL;
            return status;
        }
    } while (kst_j2k_walk_smaller(&s->walk, j2k_state(d->decoder)->excess));
    return KST_OK;
}

static kst_status fail(const struct strips *s, const struct gpu_error *error)
{
    return kst_report_error(&s->decoding->decoder->report, error->status, KST_NO_OFFSET, "%s", error->text);
}

static kst_status begin(struct strips *s, struct strip *strip)
{
    struct decoding *d = s->decoding;
    const struct j2k_gpu_order order = {.after = d->after};
    struct gpu_error error;
    strip->job = kst_gpu_j2k_begin(d->gpu, &strip->planned->item, 1, &order, &error);
    return strip->job ? KST_OK : fail(s, &error);
}

/* In any case, also of a strip that there is not. */
static kst_status end(struct strips *s, struct strip *strip)
{
    struct decoding *d = s->decoding;
    struct j2k_gpu_damage damage = {0};
    struct j2k_gpu_times times;
    struct gpu_error error = {.status = KST_OK};
    kst_status status = KST_OK;
    if (strip->job && kst_gpu_j2k_end(strip->job, &damage, &times, &error))
        status = fail(s, &error);
    s->good = s->good && damage.blocks == 0 && d->decoder->report.warnings == s->warnings;
    if (strip->job && !status && s->good)
        status = kst_j2k_gpu_report(d, &damage, &times);
    kst_j2k_gpu_release(d, strip->planned);
    if (strip->job && !status && s->good &&
        !kst_progress_add(&d->progress, (uint64_t)strip->part.width * strip->part.height))
        status = kst_report_error(&d->decoder->report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
    *strip = (struct strip){.planned = NULL};
    return status;
}

/* One more on its way, then the end of the one before. */
static kst_status step(struct strips *s)
{
    struct strip next = {.planned = NULL};
    kst_status status = plan_strip(s, &next);
    s->good = s->good && (status || next.planned);
    kst_j2k_walk_on(&s->walk, next.part);
    if (!status && next.planned)
        status = begin(s, &next);
    kst_status ended = end(s, &s->on_way);
    s->on_way = next;
    return status ? status : ended;
}

bool kst_j2k_gpu_strips(struct decoding *d, kst_status *status)
{
    kst_report *report = &d->decoder->report;
    const kst_report before = *report;
    uint32_t width = d->image->width, height = d->image->height;
    struct strips s = {.decoding = d, .good = true, .warnings = before.warnings};
    kst_j2k_walk_begin(&s.walk, width, height, 0, 2 * j2k_state(d->decoder)->excess);
    *status = KST_OK;
    kst_progress_stage(&d->progress, (uint64_t)width * height, 1);
    while (s.good && *status == KST_OK && s.walk.next.y < height)
        *status = step(&s);
    kst_status ended = end(&s, &s.on_way);
    *status = *status ? *status : ended;
    if (!s.good && *status == KST_OK)
        *report = before;
    return s.good || *status != KST_OK;
}
