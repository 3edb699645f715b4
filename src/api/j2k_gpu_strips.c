/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEG 2000 that take more memory than there is: strips of them, one after the other. */
#include "api/decoding.h"
#include "core/report.h"

/*
 * A strip less high than code-blocks as a rule are would have most of them decoded again and again. The blocks at its
 * edges are, and synthesis takes a few rows more. While a strip is decoded the next one is planned and sent. Where not
 * even such a strip has room, some columns of it are one.
 */
enum { LEAST = 64 };

struct strip {
    struct j2k_planned *planned; /* null: none */
    struct j2k_job *job;
    kst_region part;
};

/* Where strips are. */
struct strips {
    struct decoding *decoding;
    kst_region next;     /* as large as there was room for, which may reach beyond the image */
    struct strip on_way; /* on the device */
    bool good;           /* all that the device shall do it can, and nothing is damaged */
    uint64_t warnings;
};

/* Fewer rows or columns than the last time, of which those needed so many times the memory that there is. */
static uint32_t fewer(uint32_t count, double times)
{
    double room = count / times * 0.9;
    uint32_t fit = room < count ? (uint32_t)room / LEAST * LEAST : count / 2;
    return fit > LEAST ? fit : LEAST;
}

/* Those beside each other are of the same height. False where that cannot be. */
static bool make_smaller(struct strips *s, kst_region part)
{
    double times = s->decoding->excess;
    if (part.x == 0 && part.height >= 2 * LEAST)
        s->next.height = fewer(part.height, times);
    else if (part.width >= 2 * LEAST)
        s->next.width = fewer(part.width, times);
    else
        return false;
    return true;
}

/* The next strip, as large as there is room for; none where the device cannot. */
static kst_status plan_strip(struct strips *s, struct strip *strip)
{
    struct decoding *d = s->decoding;
    kst_region part;
    do {
        enum j2k_fit fit;
        uint32_t width = d->image->width - s->next.x, height = d->image->height - s->next.y;
        part = s->next;
        part.width = part.width < width ? part.width : width;
        part.height = part.height < height ? part.height : height;
        kst_status status = kst_j2k_gpu_plan(d, part, &fit);
        if (status || fit == J2K_FITS) {
            *strip = (struct strip){.planned = d->j2k, .part = part};
            d->j2k = NULL;
            return status;
        }
    } while (make_smaller(s, part));
    return KST_OK;
}

/* To the right, or else down. */
static void move_on(struct strips *s, kst_region part)
{
    s->next.x += part.width;
    if (s->next.x < s->decoding->image->width)
        return;
    s->next.x = 0;
    s->next.y += part.height;
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
    move_on(s, next.part);
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
    struct strips s = {.decoding = d,
        .next = {.width = width, .height = fewer(height, 2 * d->excess)},
        .good = true,
        .warnings = before.warnings};
    *status = KST_OK;
    kst_progress_stage(&d->progress, (uint64_t)width * height, 1);
    while (s.good && *status == KST_OK && s.next.y < height)
        *status = step(&s);
    kst_status ended = end(&s, &s.on_way);
    *status = *status ? *status : ended;
    if (!s.good && *status == KST_OK)
        *report = before;
    return s.good || *status != KST_OK;
}
