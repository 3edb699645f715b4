/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the modules of kernels that decode and encode JPEG 2000, with the work-group size of each kernel. */
#include "j2k/gpu/modules.h"

#include "device/runtime.h"
#include "j2k/kernels/encode_work.h"

extern const struct gpu_kernels kst_kernels_j2k_decode, kst_kernels_j2k_encode;

static const struct gpu_module_kernel decoding[J2K_KERNELS] = {
    [J2K_KERNEL_GATHER] = {"gather_segments", J2K_GATHER_GROUP},
    [J2K_KERNEL_WAVES] = {"decode_waves", J2K_WAVE_GROUP},
    [J2K_KERNEL_BLOCKS] = {"decode_blocks", J2K_DECODE_GROUP},
    [J2K_KERNEL_STORE] = {"store_blocks", J2K_STORE_GROUP},
    [J2K_KERNEL_QUADS] = {"decode_quads", J2K_QUAD_GROUP},
    [J2K_KERNEL_QUAD_SAMPLES] = {"decode_samples", J2K_SAMPLE_GROUP},
    [J2K_KERNEL_REFINE] = {"refine_samples", J2K_REFINE_GROUP},
    [J2K_KERNEL_PUT_HOST_BLOCKS] = {"put_host_blocks", J2K_HOST_BLOCK_GROUP},
    [J2K_KERNEL_SYNTHESISE_53] = {"synthesise_53", J2K_STRIP_GROUP},
    [J2K_KERNEL_SYNTHESISE_53_NARROW] = {"synthesise_53_narrow", J2K_STRIP_GROUP},
    [J2K_KERNEL_SYNTHESISE_97] = {"synthesise_97", J2K_STRIP_GROUP},
    [J2K_KERNEL_SYNTHESISE_97_INDICES] = {"synthesise_97_indices", J2K_STRIP_GROUP},
    [J2K_KERNEL_PUT_OUT] = {"put_out", J2K_OUTPUT_GROUP},
    [J2K_KERNEL_FINISH_53] = {"finish_53", J2K_STRIP_GROUP},
    [J2K_KERNEL_FINISH_53_NARROW] = {"finish_53_narrow", J2K_STRIP_GROUP},
    [J2K_KERNEL_FINISH_97] = {"finish_97", J2K_STRIP_GROUP},
    [J2K_KERNEL_FINISH_97_INDICES] = {"finish_97_indices", J2K_STRIP_GROUP},
    [J2K_KERNEL_COLUMNS_53] = {"undo_columns_53", J2K_COLUMN_GROUP},
    [J2K_KERNEL_COLUMNS_53_MORE] = {"undo_columns_53_more", J2K_COLUMN_GROUP},
    [J2K_KERNEL_COLUMNS_53_DEEP] = {"undo_columns_53_deep", J2K_COLUMN_GROUP},
    [J2K_KERNEL_COLUMNS_97] = {"undo_columns_97", J2K_COLUMN_GROUP},
    [J2K_KERNEL_COLUMNS_97_MORE] = {"undo_columns_97_more", J2K_COLUMN_GROUP},
    [J2K_KERNEL_COLUMNS_97_DEEP] = {"undo_columns_97_deep", J2K_COLUMN_GROUP},
    [J2K_KERNEL_STAGES] = {"undo_stages", J2K_COLUMN_GROUP},
    [J2K_KERNEL_CONVERT] = {"convert_channels", J2K_OUTPUT_GROUP},
};

static const struct gpu_module_kernel encoding[J2K_ENCODE_KERNELS] = {
    [J2K_ENCODE_COLUMNS_53] = {"analyse_columns_53", J2K_SLICES_GROUP},
    [J2K_ENCODE_COLUMNS_97] = {"analyse_columns_97", J2K_SLICES_GROUP},
    [J2K_ENCODE_TAKE_IN] = {"take_in", J2K_OUTPUT_GROUP},
    [J2K_ENCODE_BEGIN_53] = {"begin_53", J2K_STRIP_GROUP},
    [J2K_ENCODE_BEGIN_97] = {"begin_97", J2K_STRIP_GROUP},
    [J2K_ENCODE_ANALYSE_53] = {"analyse_53", J2K_STRIP_GROUP},
    [J2K_ENCODE_ANALYSE_97] = {"analyse_97", J2K_STRIP_GROUP},
    [J2K_ENCODE_MEASURE] = {"measure_blocks", J2K_MODEL_GROUP},
    [J2K_ENCODE_MODEL] = {"model_blocks", J2K_MODEL_GROUP},
    [J2K_ENCODE_ORDER] = {"order_blocks", J2K_ORDER_GROUP},
    [J2K_ENCODE_CODE] = {"code_blocks", J2K_CODE_GROUP},
    [J2K_ENCODE_CODE_HT] = {"code_ht_blocks", J2K_HT_CODE_GROUP},
    [J2K_ENCODE_REFINE_HT] = {"refine_ht_blocks", J2K_HT_REFINE_GROUP},
    [J2K_ENCODE_COUNT_HT] = {"count_ht_blocks", J2K_HT_CODE_GROUP},
    [J2K_ENCODE_COLLECT] = {"collect_blocks", J2K_COLLECT_GROUP},
    [J2K_ENCODE_ASSEMBLE] = {"assemble_stream", J2K_ASSEMBLE_GROUP},
    [J2K_ENCODE_WRITE_PACKETS] = {"write_packets", J2K_PACKET_GROUP},
    [J2K_ENCODE_PLACE_PACKETS] = {"place_packets", J2K_PACKET_GROUP},
    [J2K_ENCODE_ASSEMBLE_PACKETS] = {"assemble_packets", J2K_ASSEMBLE_GROUP},
};

static bool is_of(const struct gpu_event *event, const struct gpu_track *track)
{
    for (int i = 0; i < TRACK_EVENTS; i++)
        if (event == &track->event[i])
            return true;
    return false;
}

static void forget_events(void *user, const struct gpu_track *track)
{
    struct j2k_gpu_encoding_state *state = user;
    if (is_of(state->transformed, track))
        state->transformed = NULL;
    if (is_of(state->modelled, track))
        state->modelled = NULL;
}

const struct gpu_module kst_j2k_gpu_decoding = {.code = &kst_kernels_j2k_decode,
    .kernel = decoding,
    .count = J2K_KERNELS,
    .state = sizeof(struct j2k_gpu_decoding_state)};

const struct gpu_module kst_j2k_gpu_encoding = {.code = &kst_kernels_j2k_encode,
    .kernel = encoding,
    .count = J2K_ENCODE_KERNELS,
    .state = sizeof(struct j2k_gpu_encoding_state),
    .forget = forget_events};
