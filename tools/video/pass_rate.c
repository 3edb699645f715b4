/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps frames to their bits. What a frame may take depends on the frames before it, so the thread that writes them in
 * order decides. For JPEG, whose quality is searched for, a flow's devices encode each frame with some qualities around
 * that of the last frame that was written; if the search asks for another one, the writing thread encodes the frame.
 */
#include <stdlib.h>

#include "video/pass_run.h"

bool pass_encode_ahead(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem)
{
    struct slot_tries *tries = slot->tries != NULL ? slot->tries : calloc(1, sizeof *tries);

    if (tries == NULL)
        return problem_set(problem, "out of memory");
    slot->tries = tries;
    pthread_mutex_lock(&run->lock);
    int quality = run->quality;
    pthread_mutex_unlock(&run->lock);
    tries->count = video_rate_guess(quality, run->pass->rate.most, run->ahead, tries->quality);
    for (uint32_t i = 0; i < tries->count; i++) {
        tries->options[i] = *run->pass->encode;
        tries->options[i].quality = tries->quality[i];
        if (i > 0)
            tries->further[i - 1] = (kst_flow_encoding){.encode = &tries->options[i]};
    }
    item->encode = &tries->options[0];
    item->further = tries->further;
    item->further_count = tries->count - 1;
    return true;
}

void pass_make_again(struct run *run, struct slot *slot, const kst_encode_options *encode, kst_flow_item *item)
{
    struct video_pass pass = *run->pass;

    pass.encode = encode;
    kst_buffer_release(item->context, &item->output);
    if (item->report.status != KST_ERROR_BUFFER_FULL)
        item->output = (kst_buffer){.data = slot->out.bytes, .capacity = slot->out.capacity};
    pass_make(item->context, &pass, item);
}

/* Encode a frame of JPEG 2000 again if it has more bits than the bucket has room for. */
static void reduce(struct run *run, struct slot *slot, kst_flow_item *item)
{
    const struct video_info *info = &run->pass->writer->info;
    struct video_rate *rate = &run->pass->rate;
    double allowance = video_rate_allowance(rate), bits = allowance > 1 ? allowance : 1; /* a full bucket has no room */

    if ((double)item->output.length * 8 > bits) {
        kst_j2k_options j2k = *run->pass->encode->jpeg2000;
        kst_encode_options options = *run->pass->encode;
        j2k.target = KST_J2K_RATE;
        j2k.value = bits / ((double)info->shape.width * info->shape.height);
        options.jpeg2000 = &j2k;
        pass_make_again(run, slot, &options, item);
        rate->lowered++;
        rate->over += (double)item->output.length * 8 > bits;
    }
    video_rate_fill(rate, (double)item->output.length * 8);
}

/* List the encodings that were made ahead. Those that failed are left out: the search makes them if it asks for them.
 */
static uint32_t list_ahead(
    const struct slot_tries *tries, const kst_flow_item *item, struct video_encoding ahead[RATE_AHEAD])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tries->count; i++) {
        const kst_buffer *output = i == 0 ? &item->output : &tries->further[i - 1].output;
        if (!(i == 0 ? item->report.status : tries->further[i - 1].report.status))
            ahead[count++] = (struct video_encoding){tries->quality[i], output->data, output->length};
    }
    return count;
}

struct opening {
    const struct video_pass *pass;
    const kst_flow_item *item;
};

static kst_status open_image(void *user, kst_image *image, kst_report *report)
{
    const struct opening *opening = user;

    return pass_open_image(opening->item->context, opening->pass, opening->item, image, report);
}

static void search(struct run *run, struct slot *slot, kst_flow_item *item)
{
    struct opening opening = {run->pass, item};
    const struct video_source source = {item->context, run->pass->encode, open_image, &opening};
    struct video_encoding ahead[RATE_AHEAD];
    const uint32_t count = list_ahead(slot->tries, item, ahead);
    kst_report report;
    kst_buffer found;

    kst_report_init(&report);
    const kst_status status = video_rate_encode(&run->pass->rate, &source, ahead, count, &found, &report);
    if (status)
        item->report = report;
    item->report.status = status; /* a buffer that was full is no failure */
    if (status)
        return;
    if (found.data != item->output.data) {
        kst_buffer_release(item->context, &item->output);
        item->output = found;
    }
    pthread_mutex_lock(&run->lock);
    run->quality = run->pass->rate.quality;
    pthread_mutex_unlock(&run->lock);
}

void pass_keep_to_bits(struct run *run, struct slot *slot, kst_flow_item *item)
{
    const kst_status status = item->report.status;

    if (run->pass->rate.ceiling && !status)
        reduce(run, slot, item);
    else if (!run->pass->rate.ceiling && (!status || status == KST_ERROR_BUFFER_FULL))
        search(run, slot, item);
}
