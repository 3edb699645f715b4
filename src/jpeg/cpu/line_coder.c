/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a sequential file with standard codes while the picture's lines arrive: an MCU row whenever it is whole. */
#include "jpeg/cpu/line_coder.h"

#include <string.h>

#include "jpeg/plan/script.h"

static void use_standard_codes(struct jpeg_line_coder *coder)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct jpeg_huffman *dc = kst_jpeg_standard_huffman(JPEG_DC, (int)i);
        const struct jpeg_huffman *ac = kst_jpeg_standard_huffman(JPEG_AC, (int)i);
        coder->tables.table[JPEG_DC][i] = dc;
        coder->tables.table[JPEG_AC][i] = ac;
        kst_jpeg_cpu_coder_init(&coder->coder[i], dc, ac);
    }
}

static void init_crew(struct jpeg_line_coder *coder, const struct operation *op, const kst_scan *scan)
{
    struct jpeg_scan_crew *crew = &coder->crew;
    const struct jpeg_encoding *encoding = coder->encoding;
    *crew = (struct jpeg_scan_crew){.memory = op->memory, .functions = &coder->functions, .workers = 1};
    kst_jpeg_cpu_scan_crew_layout(crew, &encoding->frame, scan->component, scan->component_count, encoding->huffman);
    crew->restart_interval = kst_jpeg_restart_interval(&encoding->restart, &crew->geometry);
    for (uint32_t i = 0; i < crew->component_count; i++)
        crew->coder[i] = &coder->coder[crew->destination[i]];
}

static void write_headers(struct jpeg_line_coder *coder, const kst_scan *scan)
{
    const struct jpeg_encoding *encoding = coder->encoding;
    struct jpeg_scan_state nothing_known = {.restart_interval = 0};
    kst_jpeg_write_start(coder->sink, &encoding->header);
    kst_jpeg_write_metadata(coder->sink, encoding->metadata, encoding->metadata_count);
    kst_jpeg_write_frame(coder->sink, &encoding->frame, false);
    kst_jpeg_write_scan(coder->sink, &nothing_known, encoding, scan, &coder->tables, coder->crew.restart_interval);
}

kst_status kst_jpeg_cpu_line_coder_create(struct jpeg_line_coder *coder, const struct operation *op,
    const struct jpeg_encoding *encoding, const struct jpeg_sampler *sampler, struct sink *sink)
{
    kst_scan scan;
    *coder = (struct jpeg_line_coder){.encoding = encoding, .sampler = sampler, .sink = sink};
    kst_jpeg_sequential_script(encoding->frame.component_count, &scan);
    kst_jpeg_cpu_huffman_encode_init(&coder->functions, op->tier);
    use_standard_codes(coder);
    init_crew(coder, op, &scan);
    kst_status status = kst_jpeg_cpu_picture_source_create(op->memory, sampler, 1, NULL, &coder->source);
    if (status)
        return status;
    coder->crew.source = kst_jpeg_cpu_picture_source(&coder->source);
    status = kst_jpeg_cpu_scan_coding_create(&coder->crew, sink, &coder->coding);
    if (!status) {
        write_headers(coder, &scan);
        status = sink->status;
    }
    coder->wanted = kst_jpeg_cpu_sample_rows_expect(sampler, 0, coder->source.rows);
    if (status)
        kst_jpeg_cpu_line_coder_release(coder);
    return status;
}

void kst_jpeg_cpu_line_coder_release(struct jpeg_line_coder *coder)
{
    kst_jpeg_cpu_scan_coding_release(coder->coding);
    coder->coding = NULL;
    kst_jpeg_cpu_picture_source_release(&coder->source);
}

/* Code the MCU row that is whole, and expect the next one; after the last one end the file. */
static kst_status code_row(struct jpeg_line_coder *coder)
{
    kst_status status = kst_jpeg_cpu_scan_coding_row(coder->coding, coder->row++);
    coder->lines = 0;
    if (status)
        return status;
    if (coder->row < kst_jpeg_cpu_sampler_rows(coder->sampler)) {
        coder->wanted = kst_jpeg_cpu_sample_rows_expect(coder->sampler, coder->row, coder->source.rows);
        return KST_OK;
    }
    status = kst_jpeg_cpu_scan_coding_end(coder->coding);
    if (!status)
        kst_jpeg_write_end(coder->sink);
    return status ? status : coder->sink->status;
}

kst_status kst_jpeg_cpu_line_coder_take(struct jpeg_line_coder *coder, const void *line, size_t length)
{
    const struct jpeg_sample_rows *rows = coder->source.rows;
    memcpy(rows->brought[0] + (ptrdiff_t)coder->lines * rows->picture[0].pitch, line, length);
    return ++coder->lines < coder->wanted ? KST_OK : code_row(coder);
}
