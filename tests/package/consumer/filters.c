/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands for another project's program that uses filters, too. */
#include <kostka/kostka.h>
#include <kostka/kostka_filter.h>

#include <stdio.h>

int main(void)
{
    uint8_t pixels[4] = {0, 1, 254, 255}, made[4] = {0};
    kst_context *context = NULL;
    kst_filter *filter = NULL;
    kst_image from, to;
    int fine = !kst_context_create(NULL, &context) && !kst_image_wrap(&from, KST_FORMAT_GREY, 2, 2, pixels, 0) &&
               !kst_image_wrap(&to, KST_FORMAT_GREY, 2, 2, made, 0) &&
               !kst_filter_open(context, "invert,flip", &filter, NULL) && !kst_filter_run(filter, &from, &to, NULL) &&
               made[0] == 254 && made[1] == 255 && made[2] == 0 && made[3] == 1;
    kst_filter_close(&filter);
    kst_context_destroy(&context);
    puts(fine ? "fine" : "failed");
    return fine ? 0 : 1;
}
