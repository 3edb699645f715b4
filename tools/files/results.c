/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the formats of what filters find out about a picture. */
#include "files/counts.h"

const struct file_format file_json = {"json", {"json"}, KST_FORMAT_AUTO, NULL, NULL, counts_write_json, NULL, NULL};
const struct file_format file_csv = {"csv", {"csv"}, KST_FORMAT_AUTO, NULL, NULL, counts_write_csv, NULL, NULL};

bool file_holds_results(const struct file_format *format)
{
    return format == &file_json || format == &file_csv;
}
