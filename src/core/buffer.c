/* SPDX-License-Identifier: BSD-2-Clause */
/* Frees the bytes of a kst_buffer that the library has allocated for coded files. */
#include "core/context.h"

void kst_buffer_release(kst_context *context, kst_buffer *buffer)
{
    if (!buffer)
        return;
    if (context && buffer->owned)
        kst_memory_release(&context->memory, buffer->data);
    *buffer = (kst_buffer){0};
}
