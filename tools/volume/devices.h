/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how bricks are coded on the devices that a call names. */
#ifndef KOSTKA_TOOL_VOLUME_DEVICES_H
#define KOSTKA_TOOL_VOLUME_DEVICES_H

#include "files/relay.h"
#include "volume/volume.h"

/*
 * Open the devices that the options name: several for a store alone. settings->context becomes that of the first one.
 * Returns an exit code, after a message if it is not 0. volume_devices_close() closes them, and says so if one has
 * failed.
 */
int volume_devices_open(struct volume_settings *settings, bool store);
void volume_devices_close(struct volume_settings *settings);

/* Return the number of devices that share bricks. */
uint32_t volume_devices_count(const struct volume_settings *settings);

/*
 * Encode or decode bricks: items of one kind of work, KST_FLOW_ENCODE_VOLUME, KST_FLOW_DECODE_VOLUME or
 * KST_FLOW_ENCODE. Each has its report and its context afterwards. volume_item_release() frees what was made for one.
 */
void volume_code(const struct volume_settings *settings, kst_flow_item *items, size_t count);
void volume_item_release(kst_flow_item *item);

#endif
