/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the devices that a call names, and lets them code bricks: several devices share the bricks of a store, and the
 * others take over those of a device that fails.
 */
#include "volume/devices.h"

#include <stdlib.h>

int volume_devices_open(struct volume_settings *settings, bool store)
{
    static const struct relay_work work = {.filters = NULL};
    struct common_options common = settings->common;
    if (common_names_many(&common)) {
        if (!store)
            return complain_usage("volume", "several devices share the bricks of a store (.zarr): name one for this");
        const int code = relay_open(&common, common.threads, &work, &settings->relay);
        if (code != EXIT_FINE)
            return code;
        if (settings->relay != NULL) {
            settings->context = relay_context(settings->relay);
            return EXIT_FINE;
        }
        common.device = "cpu"; /* of "all" the CPU is what there is */
    }
    return common_context(&common, common.threads, &settings->context);
}

void volume_devices_close(struct volume_settings *settings)
{
    if (settings->relay == NULL) {
        kst_context_destroy(&settings->context);
        return;
    }
    const uint64_t moved = relay_moved(settings->relay);
    if (moved > 0)
        complain(NULL, "warning: a device failed; others took over %llu of its bricks", (unsigned long long)moved);
    relay_close(&settings->relay);
}

uint32_t volume_devices_count(const struct volume_settings *settings)
{
    return settings->relay != NULL ? relay_devices(settings->relay) : 1;
}

static void encode_volumes(kst_context *context, kst_flow_item *items, void *room, size_t count)
{
    kst_volume_encode_item *encoded = room;
    for (size_t i = 0; i < count; i++)
        encoded[i] = (kst_volume_encode_item){.volume = &items[i].volume, .options = items[i].encode_volume};
    kst_encode_volumes(context, encoded, count);
    for (size_t i = 0; i < count; i++) {
        items[i].output = encoded[i].output;
        items[i].report = encoded[i].report;
    }
}

static void decode_volumes(kst_context *context, kst_flow_item *items, void *room, size_t count)
{
    kst_volume_item *decoded = room;
    for (size_t i = 0; i < count; i++)
        decoded[i] = (kst_volume_item){.data = items[i].data,
            .length = items[i].length,
            .options = items[i].decode_volume,
            .volume = &items[i].volume};
    kst_decode_volumes(context, decoded, count);
    for (size_t i = 0; i < count; i++)
        items[i].report = decoded[i].report;
}

static void encode_pictures(kst_context *context, kst_flow_item *items, void *room, size_t count)
{
    kst_encode_item *encoded = room;
    for (size_t i = 0; i < count; i++)
        encoded[i] = (kst_encode_item){.image = items[i].picture, .options = items[i].encode};
    kst_encode_batch(context, encoded, count);
    for (size_t i = 0; i < count; i++) {
        items[i].output = encoded[i].output;
        items[i].report = encoded[i].report;
    }
}

/* Do the work of items in one call. */
static void code_in(kst_context *context, kst_flow_item *items, size_t count)
{
    const kst_flow_work work = items->work;
    const size_t bytes = work == KST_FLOW_ENCODE_VOLUME   ? sizeof(kst_volume_encode_item)
                         : work == KST_FLOW_DECODE_VOLUME ? sizeof(kst_volume_item)
                                                          : sizeof(kst_encode_item);
    void *room = calloc(count, bytes);
    for (size_t i = 0; i < count; i++) {
        kst_report_init(&items[i].report);
        items[i].report.status = room == NULL ? KST_ERROR_MEMORY : KST_OK;
        items[i].context = context;
    }
    if (room == NULL)
        return;
    (work == KST_FLOW_ENCODE_VOLUME      ? encode_volumes
        : work == KST_FLOW_DECODE_VOLUME ? decode_volumes
                                         : encode_pictures)(context, items, room, count);
    free(room);
}

void volume_code(const struct volume_settings *settings, kst_flow_item *items, size_t count)
{
    if (settings->relay != NULL)
        relay_do_all(settings->relay, items, count);
    else if (count > 0)
        code_in(settings->context, items, count);
}

void volume_item_release(kst_flow_item *item)
{
    if (item->context == NULL)
        return;
    kst_volume_release(item->context, &item->volume);
    kst_buffer_release(item->context, &item->output);
}
