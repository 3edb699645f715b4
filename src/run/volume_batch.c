/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes many volumes, some of them at a time: the context's threads open and plan those of a wave, and then those of
 * the next one while a GPU decodes the first. The CPU decodes what the GPU does not, meanwhile.
 */
#include "core/report.h"
#include "run/volume.h"
#include "run/volume_decoding.h"

enum { WAVES = 4, LEAST = 16, MOST = 256 /* volumes of a wave */ };

struct volume_entry {
    kst_volume_item *item;
    kst_decoder decoder;
    struct volume_decoding decoding;
    bool begun; /* the decoding must be ended */
    kst_status status;
};

struct volume_wave {
    kst_context *context;
    struct volume_entry *entry;
    struct volume_decoding **planned; /* those that the GPU decodes */
    uint32_t count, planned_count;
    void *under_way; /* of the codec; null: nothing is */
};

static kst_status refuse(struct volume_entry *entry, kst_status status, const char *detail)
{
    return kst_report_error(&entry->decoder.report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static kst_status open_entry(struct volume_entry *entry)
{
    const kst_volume_item *item = entry->item;
    const char *detail;
    kst_volume described;
    kst_volume_info info = {.size = sizeof info};
    if (!item->data || !item->volume)
        return refuse(entry, KST_ERROR_ARGUMENT, NULL);
    kst_status status = kst_volume_decoding_check(item->options, item->volume, &detail);
    if (status)
        return refuse(entry, status, detail);
    status = kst_decoder_open(&entry->decoder, item->data, item->length);
    if (!status)
        status = kst_volume_decoding_describe(&entry->decoding, &entry->decoder, item->options, &described, &info);
    entry->begun = !status;
    return status ? status : kst_volume_decoding_begin(&entry->decoding, &described, item->volume);
}

static void open_one(void *argument, uint32_t index)
{
    struct volume_wave *wave = argument;
    struct volume_entry *entry = &wave->entry[index];
    kst_decoder_start(&entry->decoder, wave->context);
    entry->status = open_entry(entry);
}

/* Open and plan the volumes of a wave, let the GPU begin with those that it takes, and decode the others. */
static void begin_wave(struct volume_wave *wave, kst_volume_item *items)
{
    for (uint32_t i = 0; i < wave->count; i++)
        wave->entry[i] = (struct volume_entry){.item = &items[i]};
    wave->planned_count = 0;
    kst_pool_run(wave->context->pool, wave->count, open_one, wave);
    for (uint32_t i = 0; i < wave->count; i++)
        if (!wave->entry[i].status && wave->entry[i].decoding.planned)
            wave->planned[wave->planned_count++] = &wave->entry[i].decoding;
    wave->under_way = NULL;
    if (wave->planned_count > 0)
        wave->under_way = (*wave->planned)->decoder->codec->begin_volumes(wave->planned, wave->planned_count);
    for (uint32_t i = 0; i < wave->count; i++)
        if (!wave->entry[i].status && !wave->entry[i].decoding.planned)
            wave->entry[i].status = kst_volume_decoding_on_cpu(&wave->entry[i].decoding);
}

static void end_entry(struct volume_entry *entry, kst_status *first)
{
    if (entry->begun)
        kst_volume_decoding_end(&entry->decoding, entry->status);
    entry->item->report = entry->decoder.report;
    kst_decoder_close(&entry->decoder);
    if (!*first)
        *first = entry->status;
}

/* Wait for the GPU, and end the volumes of a wave. This does nothing for a wave that has not begun. */
static void end_wave(struct volume_wave *wave, kst_status *first)
{
    if (wave->under_way)
        (*wave->planned)->decoder->codec->end_volumes(wave->under_way);
    for (uint32_t i = 0; i < wave->count; i++) {
        struct volume_entry *entry = &wave->entry[i];
        if (!entry->status && entry->decoding.planned)
            entry->status = entry->decoding.status;
        end_entry(entry, first);
    }
    wave->count = 0;
}

static bool make_wave(struct volume_wave *wave, kst_context *context, uint32_t most)
{
    *wave = (struct volume_wave){.context = context};
    wave->entry = kst_memory_array(&context->memory, most, sizeof *wave->entry, NULL);
    wave->planned = kst_memory_array(&context->memory, most, sizeof *wave->planned, NULL);
    return wave->entry && wave->planned;
}

static void drop_wave(struct volume_wave *wave)
{
    kst_memory_release(&wave->context->memory, wave->entry);
    kst_memory_release(&wave->context->memory, wave->planned);
}

static kst_status run_waves(struct volume_wave wave[2], kst_volume_item *items, size_t count, uint32_t most)
{
    kst_status first = KST_OK;
    uint32_t turn = 0;
    for (size_t done = 0; done < count; turn = 1 - turn) {
        wave[turn].count = count - done < most ? (uint32_t)(count - done) : most;
        begin_wave(&wave[turn], items + done);
        done += wave[turn].count;
        end_wave(&wave[1 - turn], &first);
    }
    end_wave(&wave[1 - turn], &first);
    return first;
}

kst_status kst_volume_run_decode_all(kst_context *context, kst_volume_item *items, size_t count)
{
    struct volume_wave wave[2];
    const size_t share = count / WAVES + 1;
    const uint32_t most = share < LEAST ? LEAST : share < MOST ? (uint32_t)share : MOST;
    bool made = make_wave(&wave[0], context, most);
    made = make_wave(&wave[1], context, most) && made;
    const kst_status status = made ? run_waves(wave, items, count, most) : KST_ERROR_MEMORY;
    for (size_t i = 0; i < count && !made; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
    drop_wave(&wave[0]);
    drop_wave(&wave[1]);
    return status;
}
