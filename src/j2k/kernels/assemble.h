/* SPDX-License-Identifier: BSD-2-Clause */
/* Assembles a codestream: its frame, which the host wrote, and the collected bytes of code-blocks. */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"

enum { ASSEMBLED_WORDS = 4, ASSEMBLED_BYTES = 8 /* loaded together by a work-item, because a load takes long */ };

/*
 * Copy bytes of the frame, which are few except in front of the first body of a packet. The whole work-group calls
 * this.
 */
FUNCTION void copy_run(GLOBAL u8 *RESTRICT to, GLOBAL const u8 *RESTRICT frame, u32 length)
{
    for (u32 i = local_index(); i < length; i += ASSEMBLED_BYTES * J2K_ASSEMBLE_GROUP) {
        u8 byte[ASSEMBLED_BYTES];
        UNROLL for (u32 k = 0; k < ASSEMBLED_BYTES; k++)
        {
            u32 at = i + k * J2K_ASSEMBLE_GROUP;
            byte[k] = frame[at < length ? at : length - 1];
        }
        UNROLL for (u32 k = 0; k < ASSEMBLED_BYTES; k++) if (i + k * J2K_ASSEMBLE_GROUP < length)
            to[i + k * J2K_ASSEMBLE_GROUP] = byte[k];
    }
}

/*
 * Copy bytes; words of the codestream that are copied as a whole are written at once. The whole work-group calls this.
 */
FUNCTION void copy_body(GLOBAL u32 *RESTRICT stream, u32 to, GLOBAL const u32 *RESTRICT collected, u32 from, u32 length)
{
    GLOBAL u8 *bytes = (GLOBAL u8 *)stream;
    GLOBAL const u8 *source = (GLOBAL const u8 *)collected;
    u32 lead = (4 - to % 4) % 4;
    lead = lead < length ? lead : length;
    u32 words = (length - lead) / 4, tail = lead + 4 * words, shift = (from + lead) % 4 * 8;
    GLOBAL u32 *out = stream + (to + lead) / 4;
    GLOBAL const u32 *in = collected + (from + lead) / 4;
    if (local_index() < lead)
        bytes[to + local_index()] = source[from + local_index()];
    for (u32 i = local_index(); i < words; i += ASSEMBLED_WORDS * J2K_ASSEMBLE_GROUP) {
        u32 low[ASSEMBLED_WORDS], high[ASSEMBLED_WORDS];
        UNROLL for (u32 k = 0; k < ASSEMBLED_WORDS; k++)
        {
            u32 at = i + k * J2K_ASSEMBLE_GROUP;
            at = at < words ? at : words - 1;
            low[k] = in[at];
            high[k] = shift == 0 ? 0 : in[at + 1];
        }
        UNROLL for (u32 k = 0; k < ASSEMBLED_WORDS; k++) if (i + k * J2K_ASSEMBLE_GROUP < words)
            out[i + k * J2K_ASSEMBLE_GROUP] = shift == 0 ? low[k] : shift_pair(low[k], high[k], shift);
    }
    if (local_index() < length - tail)
        bytes[to + tail + local_index()] = source[from + tail + local_index()];
}

/*
 * Put a run of the frame, and the body behind it, in place with each work-group. `first`: index of the body of the
 * first work-group. `base`: the word of `collected` from which the bytes of bodies are counted, because there may be
 * more than 2^32 bytes in front of them.
 */
KERNEL(J2K_ASSEMBLE_GROUP)
assemble_stream(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT collected, GLOBAL u32 *RESTRICT stream,
    u32 first, u32 base)
{
    GLOBAL const struct j2k_stream_work *head = (GLOBAL const struct j2k_stream_work *)list;
    GLOBAL const struct j2k_work_body *body =
        (GLOBAL const struct j2k_work_body *)(list + head->body) + first + group_index();
    GLOBAL const u8 *frame = (GLOBAL const u8 *)(list + head->frame) + body->frame;
    GLOBAL u8 *to = (GLOBAL u8 *)stream + (body->to - body->run);
    copy_run(to, frame, body->run);
    copy_body(stream, body->to, collected + base, body->from, body->length);
}
