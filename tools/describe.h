/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes what a stream holds, as text and as JSON. */
#ifndef KOSTKA_TOOL_DESCRIBE_H
#define KOSTKA_TOOL_DESCRIBE_H

#include "files/files.h"
#include "print/json.h"

void describe_print(const struct source *source, kst_decoder *decoder);
void describe_json(struct json_list *list, const struct source *source, kst_decoder *decoder);

const char *describe_format(kst_format format); /* "grey", "RGB" … */

#endif
