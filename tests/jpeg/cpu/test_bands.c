/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks bands of decoded rows: each row is written once, by the right thread. */
#include "jpeg/cpu/row_buffers.h"

#include <stdatomic.h>
#include <string.h>

#include "support/test.h"

enum { WIDTH = 1 << 14, LINES = 16, HEIGHT = 20 * LINES, MOST_LEFT = 8 };

struct written {
    atomic_uint rows;
    atomic_uint times[HEIGHT];
    uint32_t next; /* in order: the row that comes now */
    bool in_order;
    pthread_t writer[HEIGHT];
};

static struct memory memory;
static struct written written;
static struct jpeg_row_buffers bands;

static bool take(void *user, uint32_t y, const kst_image *rows)
{
    struct written *to = user;
    if (to->in_order) {
        assert_int_equal(y, to->next);
        to->next = y + rows->height;
    }
    for (uint32_t i = 0; i < rows->height; i++) {
        atomic_fetch_add(&to->times[y + i], 1);
        to->writer[y + i] = pthread_self();
        assert_int_equal(((const uint8_t *)rows->plane[0].data)[(ptrdiff_t)i * rows->plane[0].pitch], (y + i) & 255);
    }
    atomic_fetch_add(&to->rows, rows->height);
    return true;
}

static void begin(bool in_order)
{
    static kst_row_writer writer;
    kst_image image;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    memset(&written, 0, sizeof written);
    written.in_order = in_order;
    writer = (kst_row_writer){.size = sizeof writer, .write = take, .user = &written, .in_order = in_order};
    kst_image_init(&image);
    image.format = KST_FORMAT_GREY;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = WIDTH, .height = HEIGHT, .pitch = WIDTH};
    kst_jpeg_cpu_row_buffers_begin(&bands, &memory, &writer, &image, LINES, 2);
    assert_int_equal(bands.rows, LINES);
}

/* All rows of a band at once, or one by one. */
static void complete(uint32_t band)
{
    uint32_t count, step = band % 2 ? 1 : LINES;
    for (uint32_t y = band * LINES; y < (band + 1) * LINES; y += step) {
        uint8_t *row = kst_jpeg_cpu_row_buffers_rows(&bands, y, &count);
        assert_non_null(row);
        assert_int_equal(count, (band + 1) * LINES - y);
        for (uint32_t i = 0; i < step; i++)
            memset(row + (size_t)i * WIDTH, (int)((y + i) & 255), WIDTH);
        kst_jpeg_cpu_row_buffers_done(&bands, y, step);
    }
}

static void end(void)
{
    assert_int_equal(kst_jpeg_cpu_row_buffers_end(&bands), KST_OK);
    assert_int_equal(memory.used, 0);
    for (uint32_t y = 0; y < HEIGHT; y++)
        assert_int_equal(atomic_load(&written.times[y]), 1);
}

/* A thread hands out what it completes, unless another one took over and few bands wait for that. */
static void check_some(bool in_order)
{
    begin(in_order);
    complete(0);
    assert_int_equal(atomic_load(&written.rows), LINES);
    kst_jpeg_cpu_row_buffers_take_over(&bands);
    for (uint32_t band = 1; band <= MOST_LEFT; band++)
        complete(band);
    assert_int_equal(atomic_load(&written.rows), LINES);
    complete(MOST_LEFT + 1);
    assert_int_equal(atomic_load(&written.rows), (in_order ? MOST_LEFT + 2 : 2) * LINES);
    kst_jpeg_cpu_row_buffers_hand_out(&bands);
    assert_int_equal(atomic_load(&written.rows), (MOST_LEFT + 2) * LINES);
    complete(MOST_LEFT + 2);
    kst_jpeg_cpu_row_buffers_take_back(&bands);
    complete(MOST_LEFT + 3);
    kst_jpeg_cpu_row_buffers_hand_out_all(&bands);
    assert_int_equal(atomic_load(&written.rows), (MOST_LEFT + 4) * LINES);
    for (uint32_t band = MOST_LEFT + 4; band < HEIGHT / LINES; band++)
        complete(band);
    end();
}

static void *hand_out_all(void *arg)
{
    (void)arg;
    kst_jpeg_cpu_row_buffers_hand_out_all(&bands);
    return NULL;
}

/* The thread that took over waits for bands, and is the only one that hands out the first few. */
static void check_all(bool in_order)
{
    pthread_t other;
    begin(in_order);
    kst_jpeg_cpu_row_buffers_take_over(&bands);
    assert_int_equal(pthread_create(&other, NULL, hand_out_all, NULL), 0);
    for (uint32_t band = 0; band < MOST_LEFT; band++)
        complete(band);
    while (atomic_load(&written.rows) < MOST_LEFT * LINES)
        continue;
    for (uint32_t y = 0; y < MOST_LEFT * LINES; y++)
        assert_true(pthread_equal(written.writer[y], other));
    for (uint32_t band = MOST_LEFT; band < HEIGHT / LINES; band++)
        complete(band);
    kst_jpeg_cpu_row_buffers_take_back(&bands);
    assert_int_equal(pthread_join(other, NULL), 0);
    end();
}

static void test_some(void **state)
{
    (void)state;
    check_some(false);
    check_some(true);
}

static void test_all(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        check_all(i % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_some), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
