/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares lists of lent buffers with a plain array, while buffers are added, found and removed in any order. */
#include "device/lent.h"

#include <string.h>

#include "support/random.h"
#include "support/test.h"

enum { PLACES = 1500, STRIDE = 4096 };

/* Place i is the address (i + 1) · STRIDE; its buffer, if there is one, has `length` bytes. */
struct model {
    struct memory memory;
    struct gpu_lent lent;
    size_t length[PLACES];
    uint32_t count;
};

static uintptr_t address_of(uint32_t place)
{
    return (uintptr_t)(place + 1) * STRIDE;
}

static void add(struct model *model, uint32_t place, size_t length)
{
    struct gpu_buffer buffer = {.place = GPU_DEVICE, .length = length, .handle = address_of(place)};
    kst_status status = KST_OK;
    assert_true(kst_gpu_lent_add(&model->lent, &model->memory, &buffer, &status));
    model->length[place] = length;
    model->count++;
}

static void take(struct model *model, uint32_t place)
{
    struct gpu_buffer buffer = {.length = 0};
    bool there = model->length[place] > 0;
    assert_int_equal(kst_gpu_lent_remove(&model->lent, &model->memory, address_of(place), &buffer), there);
    assert_int_equal(buffer.length, model->length[place]);
    assert_true(!there || buffer.handle == address_of(place));
    model->length[place] = 0;
    model->count -= there;
}

/* Check that an address in the place's buffer finds that buffer, and that one behind its end finds none. */
static void check_place(const struct model *model, uint32_t place)
{
    static const size_t offsets[] = {0, 1, 100, STRIDE - 1};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const struct gpu_buffer *found = kst_gpu_lent_find(&model->lent, address_of(place) + offsets[i]);
        assert_int_equal(found != NULL, offsets[i] < model->length[place]);
        assert_true(!found || found->handle == address_of(place));
    }
}

static void check(const struct model *model)
{
    for (uint32_t place = 0; place < PLACES; place++)
        check_place(model, place);
    assert_null(kst_gpu_lent_find(&model->lent, 1));
    assert_null(kst_gpu_lent_find(&model->lent, address_of(PLACES)));
}

static void begin(struct model *model, uint64_t limit)
{
    memset(model, 0, sizeof *model);
    kst_memory_init(&model->memory, NULL, limit);
}

static void end(struct model *model)
{
    kst_gpu_lent_release(&model->lent, &model->memory);
    assert_int_equal(atomic_load(&model->memory.used), 0);
}

/* Fill the list upwards, downwards and from the middle, and empty it in another order. */
static void test_orders(void **state)
{
    struct model model;
    (void)state;
    for (uint32_t order = 0; order < 9; order++) {
        const uint32_t step[3] = {1, PLACES - 1, 7 * 97}; /* the steps and the number of places have no common factor */
        begin(&model, UINT64_MAX);
        for (uint32_t i = 0; i < PLACES; i++)
            add(&model, i * step[order % 3] % PLACES, STRIDE - i);
        check(&model);
        for (uint32_t i = 0; i < PLACES; i++)
            take(&model, i * step[order / 3] % PLACES);
        assert_int_equal(model.lent.count, 0);
        end(&model);
    }
}

static void test_mixture(void **state)
{
    struct model model;
    (void)state;
    uint32_t random = 7;
    begin(&model, UINT64_MAX);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t place = random_below(&random, PLACES);
        bool adds = model.length[place] == 0 && random_below(&random, 8) < (i / 4000 % 2 ? 2U : 6U);
        if (adds)
            add(&model, place, 1 + random_below(&random, STRIDE));
        else
            take(&model, place);
        check_place(&model, place);
        if (i % 1000 == 0)
            check(&model);
    }
    check(&model);
    assert_true(model.count > 0);
    end(&model);
}

/* Take the last buffer out until the list is empty. */
static void test_last(void **state)
{
    struct model model;
    struct gpu_buffer buffer;
    (void)state;
    begin(&model, UINT64_MAX);
    assert_false(kst_gpu_lent_remove_last(&model.lent, &model.memory, &buffer));
    for (uint32_t i = 0; i < PLACES; i++)
        add(&model, i, 1);
    for (uint32_t i = PLACES; i-- > 0;) {
        assert_true(kst_gpu_lent_remove_last(&model.lent, &model.memory, &buffer));
        assert_true(buffer.handle == address_of(i));
    }
    assert_false(kst_gpu_lent_remove_last(&model.lent, &model.memory, &buffer));
    end(&model);
}

/* A buffer for which memory runs out is not added, and all that were added before are still found. */
static void test_limit(void **state)
{
    struct model model;
    (void)state;
    for (uint64_t limit = 0; limit < 40000; limit += 500) {
        begin(&model, limit);
        struct gpu_buffer buffer = {.place = GPU_DEVICE, .length = 1};
        kst_status status = KST_OK;
        for (uint32_t i = 0; i < PLACES && !status; i++) {
            buffer.handle = address_of(i);
            if (kst_gpu_lent_add(&model.lent, &model.memory, &buffer, &status))
                model.length[i] = 1;
        }
        assert_int_equal(status, KST_ERROR_LIMIT_MEMORY);
        check(&model);
        end(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_last),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
