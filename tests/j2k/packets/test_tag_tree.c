/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag trees against an encoder that follows B.10.2 word by word. */
#include <stdlib.h>
#include <string.h>

#include "j2k/packets/tag_tree.h"
#include "support/random.h"
#include "support/test.h"

enum { LEAVES_MAX = 1600, NODES_MAX = 2 * LEAVES_MAX, BITS_MAX = 1 << 19, LAYERS = 9 };

static uint32_t random_state = 1;

/* An encoder's tree: the value of each node is the least below it. */
struct tree {
    struct j2k_tag_shape shape;
    uint32_t width, height;
    uint32_t value[NODES_MAX], low[NODES_MAX];
    bool known[NODES_MAX];
};

struct writer {
    uint8_t data[BITS_MAX / 8];
    uint32_t bytes, free; /* bits left in the last byte */
};

static void put_bit(struct writer *writer, uint32_t bit)
{
    if (writer->free == 0) {
        bool after_ones = writer->bytes > 0 && writer->data[writer->bytes - 1] == 0xFF;
        writer->data[writer->bytes++] = 0;
        writer->free = after_ones ? 7 : 8;
    }
    writer->data[writer->bytes - 1] |= (uint8_t)(bit << --writer->free);
}

static uint32_t index_of(const struct tree *tree, uint32_t k, uint32_t x, uint32_t y)
{
    return tree->shape.offset[k] + (y >> k) * tree->shape.width[k] + (x >> k);
}

static void make_tree(struct tree *tree, uint32_t width, uint32_t height, uint32_t values)
{
    memset(tree, 0, sizeof *tree);
    kst_j2k_tag_shape(&tree->shape, width, height);
    assert_true(tree->shape.nodes <= NODES_MAX);
    tree->width = width;
    tree->height = height;
    memset(tree->value, 0xFF, sizeof tree->value);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t value = random_below(&random_state, values);
            for (uint32_t k = 0; k < tree->shape.levels; k++) {
                uint32_t *node = &tree->value[index_of(tree, k, x, y)];
                *node = *node < value ? *node : value;
            }
        }
}

static void encode(struct tree *tree, struct writer *writer, uint32_t x, uint32_t y, uint32_t threshold)
{
    uint32_t low = 0;
    for (uint32_t k = tree->shape.levels; k-- > 0;) {
        uint32_t i = index_of(tree, k, x, y);
        if (low > tree->low[i])
            tree->low[i] = low;
        while (tree->low[i] < threshold && !tree->known[i]) {
            tree->known[i] = tree->low[i] == tree->value[i];
            put_bit(writer, tree->known[i]);
            tree->low[i] += !tree->known[i];
        }
        low = tree->low[i];
    }
}

static struct tree tree;
static struct writer writer;

static void check_inclusion(uint32_t width, uint32_t height)
{
    static uint32_t nodes[NODES_MAX];
    make_tree(&tree, width, height, LAYERS + 2);
    memset(&writer, 0, sizeof writer);
    memset(nodes, 0, sizeof nodes);
    for (uint32_t t = 1; t <= LAYERS; t++)
        for (uint32_t i = 0; i < width * height; i++)
            if (t == 1 || tree.value[i] >= t - 1)
                encode(&tree, &writer, i % width, i / width, t);
    struct j2k_header_bits bits;
    j2k_bits_start(&bits, writer.data, writer.data + writer.bytes);
    for (uint32_t t = 1; t <= LAYERS; t++)
        for (uint32_t i = 0; i < width * height; i++) {
            uint32_t level = 0;
            if (t > 1 && tree.value[i] < t - 1)
                continue;
            bool below = j2k_tag_below(&tree.shape, nodes, &bits, i % width, i / width, t, &level);
            assert_int_equal(below, tree.value[i] < t);
            if (!below)
                assert_true(tree.value[index_of(&tree, level, i % width, i / width)] >= t);
        }
    assert_false(j2k_bits_overrun(&bits));
    assert_ptr_equal(j2k_bits_position(&bits), writer.data + writer.bytes);
}

static void check_values(uint32_t width, uint32_t height)
{
    static uint8_t nodes[NODES_MAX];
    make_tree(&tree, width, height, J2K_TAG_MISSING_MAX);
    memset(&writer, 0, sizeof writer);
    memset(nodes, 0, sizeof nodes);
    for (uint32_t i = 0; i < width * height; i++)
        encode(&tree, &writer, i % width, i / width, J2K_TAG_MISSING_MAX + 1);
    struct j2k_header_bits bits;
    j2k_bits_start(&bits, writer.data, writer.data + writer.bytes);
    for (uint32_t i = 0; i < width * height; i++)
        assert_int_equal(j2k_tag_value(&tree.shape, nodes, &bits, i % width, i / width), tree.value[i]);
    assert_false(j2k_bits_overrun(&bits));
    assert_ptr_equal(j2k_bits_position(&bits), writer.data + writer.bytes);
}

static void test_trees(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {2, 1}, {1, 3}, {3, 3}, {4, 4}, {5, 8}, {17, 9}, {1, 100}, {33, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_inclusion(sizes[i][0], sizes[i][1]);
        check_values(sizes[i][0], sizes[i][1]);
    }
}

/* B.10.2's example (Figure B.12): 6 × 3 leaves that start 1, 3, 2, 3; the first ones code to 01111, 001, 101. */
static void test_example(void **state)
{
    (void)state;
    static const uint32_t leaves[18] = {1, 3, 2, 3, 2, 3, 2, 2, 1, 4, 3, 2, 2, 2, 2, 2, 1, 2};
    static uint8_t nodes[NODES_MAX];
    static const uint8_t data[] = {0x79, 0xA0}; /* 01111 001 101 */
    struct j2k_tag_shape shape;
    struct j2k_header_bits bits;
    kst_j2k_tag_shape(&shape, 6, 3);
    assert_int_equal(shape.levels, 4);
    assert_int_equal(shape.nodes, 18 + 6 + 2 + 1);
    j2k_bits_start(&bits, data, data + sizeof data);
    for (uint32_t x = 0; x < 3; x++)
        assert_int_equal(j2k_tag_value(&shape, nodes, &bits, x, 0), leaves[x]);
}

static void test_damage_ends(void **state)
{
    (void)state;
    static uint8_t nodes[NODES_MAX];
    static const uint8_t zeros[64];
    struct j2k_tag_shape shape;
    struct j2k_header_bits bits;
    kst_j2k_tag_shape(&shape, 4, 4);
    j2k_bits_start(&bits, zeros, zeros + sizeof zeros);
    assert_int_equal(j2k_tag_value(&shape, nodes, &bits, 1, 1), J2K_TAG_MISSING_MAX + 1);
    j2k_bits_start(&bits, zeros, zeros);
    j2k_bit(&bits);
    assert_true(j2k_bits_overrun(&bits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_damage_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
