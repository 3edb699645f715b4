/* SPDX-License-Identifier: BSD-2-Clause */
/* Releases the metadata of a stream. */
#include "image/metadata.h"

void kst_metadata_list_release(struct memory *memory, struct metadata_list *metadata)
{
    kst_memory_release(memory, metadata->joined);
    kst_memory_release(memory, metadata->item);
    *metadata = (struct metadata_list){.orientation = 1};
}
