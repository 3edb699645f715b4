/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k_coded.h"

#include "support.h"

kst_encode_options j2k_coding(const kst_j2k_options *j2k)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = j2k;
    return options;
}

kst_buffer j2k_coded(kst_context *context, const kst_image *image, const kst_j2k_options *j2k)
{
    const kst_encode_options options = j2k_coding(j2k);
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode(context, image, &options, &coded, &report) != KST_OK)
        fail_msg("not encoded: %s", report.message);
    return coded;
}
