/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes Huffman tables and writes the marker segments around a stream that the device has coded. */
#include "jpeg/gpu/encode_file.h"

#include "jpeg/plan/script.h"
#include "jpeg/syntax/writer.h"

void kst_jpeg_gpu_standard_tables(struct jpeg_gpu_encode_tables *tables)
{
    for (int i = 0; i < 2; i++) {
        tables->table[JPEG_DC][i] = *kst_jpeg_standard_huffman(JPEG_DC, i);
        tables->table[JPEG_AC][i] = *kst_jpeg_standard_huffman(JPEG_AC, i);
    }
}

static void optimise(const uint32_t *histogram, uint32_t count, struct jpeg_huffman *table)
{
    uint64_t frequency[257] = {0};
    for (uint32_t i = 0; i < count; i++)
        frequency[i] = histogram[i];
    kst_jpeg_huffman_optimal(frequency, table);
}

void kst_jpeg_gpu_optimal_tables(const uint32_t *histogram, struct jpeg_gpu_encode_tables *tables)
{
    for (uint32_t i = 0; i < 2; i++, histogram += ENCODE_DC_CODES + ENCODE_AC_CODES) {
        optimise(histogram, ENCODE_DC_CODES, &tables->table[JPEG_DC][i]);
        optimise(histogram + ENCODE_DC_CODES, ENCODE_AC_CODES, &tables->table[JPEG_AC][i]);
    }
}

void kst_jpeg_gpu_file_start(
    const struct jpeg_encoding *encoding, const struct jpeg_gpu_encode_tables *tables, struct sink *sink)
{
    struct jpeg_table_set set = {.table = {{&tables->table[JPEG_DC][0], &tables->table[JPEG_DC][1]},
                                     {&tables->table[JPEG_AC][0], &tables->table[JPEG_AC][1]}}};
    struct jpeg_scan_state state = {.restart_interval = 0};
    struct jpeg_scan_geometry geometry;
    kst_scan scan[1];
    kst_jpeg_sequential_script(encoding->frame.component_count, scan);
    kst_jpeg_scan_geometry(&encoding->frame, scan->component, scan->component_count, &geometry);
    kst_jpeg_write_start(sink, &encoding->header);
    kst_jpeg_write_metadata(sink, encoding->metadata, encoding->metadata_count);
    kst_jpeg_write_frame(sink, &encoding->frame, false);
    kst_jpeg_write_scan(sink, &state, encoding, scan, &set, kst_jpeg_restart_interval(&encoding->restart, &geometry));
}

void kst_jpeg_gpu_file_end(struct sink *sink)
{
    kst_jpeg_write_end(sink);
}
