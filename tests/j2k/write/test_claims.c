/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what is said of a stream's claims: nothing of the streams that the encoder and the transcoder make and of the
 * conformance streams, and the claim and its place where one does not hold.
 */
#include <kostka/kostka.h>

#include <stdlib.h>
#include <string.h>

#include "j2k/syntax/marker.h"
#include "support/corpus.h"
#include "support/j2k/coded.h"
#include "support/j2k/codestream.h"
#include "support/j2k/corpus.h"
#include "support/j2k/made_sets.h"
#include "support/j2k/pictures.h"
#include "support/j2k/source.h"
#include "support/shared_context.h"
#include "support/test.h"

/* Return how many claims of a stream are broken; `last` receives the last. */
static size_t broken(const void *data, size_t length, kst_breach *last)
{
    kst_decoder *decoder;
    kst_breach breach = {.size = sizeof breach};
    size_t count = 0;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_false(kst_decoder_claim_breach(decoder, 0, &breach));
    assert_int_equal(kst_decoder_open(decoder, data, length), KST_OK);
    for (; kst_decoder_claim_breach(decoder, count, &breach); count++)
        *last = breach;
    assert_int_equal(kst_decoder_report(decoder)->status, KST_OK);
    breach.size--;
    assert_false(kst_decoder_claim_breach(decoder, 0, &breach));
    kst_decoder_destroy(&decoder);
    return count;
}

static void expect_kept(const void *data, size_t length, const char *what)
{
    kst_breach last = {.offset = 0};
    if (broken(data, length, &last) != 0)
        fail_msg("%s: %s at %llu", what, last.text, (unsigned long long)last.offset);
}

/* Check that `wanted` claims are broken, and that the last one's text has these words and is at this place. */
static void expect_told(const struct made *made, size_t wanted, uint64_t offset, const char *words)
{
    kst_breach last = {.offset = 0, .text = "nothing"};
    size_t count = broken(made->data, made->length, &last);
    if (count != wanted || !strstr(last.text, words) || last.offset != offset)
        fail_msg("'%s' at %llu expected, %zu are told, the last '%s' at %llu", words, (unsigned long long)offset, count,
            last.text, (unsigned long long)last.offset);
}

/* Describes a stream of two tiles, each of them one code-block of 8 × 8 samples, and its claims. */
struct claims {
    uint16_t rsiz, ccap;
    bool without_cap;
    uint8_t style, irreversible;
    const char *header; /* of a tile's first packet, behind which its block has so many bytes; null: ONE_SET */
    uint32_t bytes;
    const char *more; /* header of its second packet, of another layer, with as many bytes; null: there is one layer */
    uint8_t marker;   /* of a segment in the header of the second tile; 0: none */
    uint8_t main;     /* of a segment in the main header */
    uint8_t contents[12];
    uint8_t length;
};

enum { HT = 0x40, MIXED = 0xC0, ANNOUNCED = 0x4000, CAP = 45, COD = CAP + 10, QCD = COD + 14, MAIN = QCD + 6 };
/* The first tile-part begins here if the main header has no further segment. */
enum { FIRST_PART = MAIN };

/* The header of a packet whose block has a cleanup pass below two planes without a pass of their own, and two bytes. */
#define ONE_SET "1 1 001 0 0 010"

static size_t put_packet(uint8_t *to, const char *header, size_t bytes)
{
    struct made_bits bits = {.length = 0};
    made_put_bits(&bits, header);
    memcpy(to, bits.byte, bits.length);
    return bits.length + bytes;
}

static void put_part(struct made *made, const struct claims *c, uint32_t tile)
{
    static struct made header;
    uint8_t body[64] = {0};
    size_t length = put_packet(body, c->header ? c->header : ONE_SET, c->header ? c->bytes : 2);
    if (c->more)
        length += put_packet(body + length, c->more, c->bytes);
    header.length = 0;
    if (tile == 1 && c->marker)
        made_segment(&header, c->marker, c->contents, c->length);
    made_part_with(made, tile, 0, 1, &header, body, length);
}

static struct made *make(const struct claims *c)
{
    static struct made made;
    const struct made_size size = {.image = {0, 0, 16, 8}, .tile_width = 8, .tile_height = 8, .components = 1};
    const uint8_t cod[] = {0, J2K_LRCP, 0, c->more ? 2 : 1, 0, 0, 4, 4, c->style, !c->irreversible};
    const uint8_t qcd[] = {2 << 5 | (c->irreversible ? 2 : 0), 8 << 3, 0};
    const uint8_t cap[] = {0, 2, 0, 0, (uint8_t)(c->ccap >> 8), (uint8_t)c->ccap};
    made_start(&made, &size);
    made.data[6] = (uint8_t)(c->rsiz >> 8);
    made.data[7] = (uint8_t)c->rsiz;
    if (!c->without_cap)
        made_segment(&made, J2K_CAP, cap, sizeof cap);
    made_segment(&made, J2K_COD, cod, sizeof cod);
    made_segment(&made, J2K_QCD, qcd, c->irreversible ? 3 : 2);
    if (c->main)
        made_segment(&made, c->main, c->contents, c->length);
    put_part(&made, c, 0);
    put_part(&made, c, 1);
    made_end(&made);
    return &made;
}

static void expect(struct claims claims, size_t wanted, uint64_t offset, const char *words)
{
    const struct made *made = make(&claims);
    if (wanted == 0)
        expect_kept(made->data, made->length, words);
    else
        expect_told(made, wanted, offset, words);
}

static void announcement(void **state)
{
    (void)state;
    expect((struct claims){.rsiz = ANNOUNCED, .style = HT}, 0, 0, "what holds");
    expect((struct claims){.rsiz = 0, .style = HT}, 1, 6, "Rsiz is 0x0000");
    expect((struct claims){.rsiz = ANNOUNCED, .without_cap = true, .style = 0, .header = "0"}, 1, 6, "there is none");
    expect((struct claims){.rsiz = 0, .without_cap = true, .style = HT}, 1, CAP, "component 0 of tile 0");
    expect((struct claims){.rsiz = 0, .without_cap = true, .style = 0, .header = "0"}, 0, 0, "nothing is claimed");
    expect((struct claims){.rsiz = ANNOUNCED, .ccap = 0x0040, .style = HT}, 1, CAP, "it is 0x0040");
    expect((struct claims){.rsiz = ANNOUNCED, .ccap = 0x4000, .style = HT}, 1, CAP, "it is 0x4000");
    expect(
        (struct claims){.rsiz = ANNOUNCED, .style = HT, .main = J2K_CAP, .contents = {0, 2, 0, 0, 0, 0}, .length = 6},
        1, MAIN, "this is another");
}

static void kinds(void **state)
{
    enum { DECLARED = 0x8000, ANY = 0xC000, PARTS = 0x0800 };
    const struct claims own = {.rsiz = ANNOUNCED,
        .style = HT,
        .marker = J2K_COD,
        .contents = {0, J2K_LRCP, 0, 1, 0, 0, 4, 4, 0, 1},
        .length = 10};
    struct claims claims = own;
    (void)state;
    expect((struct claims){.rsiz = ANNOUNCED, .style = 0, .header = "0"}, 1, COD, "here are others");
    expect((struct claims){.rsiz = ANNOUNCED, .style = MIXED, .header = "0"}, 1, COD, "others may be among them");
    expect((struct claims){.rsiz = ANNOUNCED, .ccap = DECLARED, .style = MIXED, .header = "0"}, 1, COD, "here both");
    expect((struct claims){.rsiz = ANNOUNCED, .ccap = DECLARED, .style = 0, .header = "0"}, 0, 0, "none is HT");
    expect((struct claims){.rsiz = ANNOUNCED, .ccap = ANY, .style = MIXED, .header = "0"}, 0, 0, "mixed");
    const uint64_t second = FIRST_PART + 12 + 2 + 2 + 2; /* behind a part with a header of two bytes and two more */
    claims.ccap = PARTS;
    expect(claims, 1, second + 12, "component 0 of tile 1");
    claims.ccap = DECLARED | PARTS;
    expect(claims, 0, 0, "tiles of one kind each");
    claims.ccap = DECLARED;
    expect(claims, 1, second + 12, "here is 0xFF52");
    claims.without_cap = true;
    claims.rsiz = 0;
    claims.style = 0;
    claims.contents[8] = HT;
    claims.header = "0";
    expect(claims, 1, second - 10 - 2 - 1 + 12, "component 0 of tile 1");
}

static void sets(void **state)
{
    (void)state;
    struct claims two = {.rsiz = ANNOUNCED, .style = HT, .header = "1 1 001 1100 0 010 0001", .bytes = 3};
    two.more = "1 1 0 0 011"; /* a fourth pass, which is the cleanup pass of another set */
    /* behind the tile-part's header: a packet of three bytes and three more, and the other packet's header */
    expect(two, 1, FIRST_PART + 14 + 3 + 3 + 1, "one in resolution 0 of component 0 of tile 0 has several");
    two.ccap = 0x2000;
    expect(two, 0, 0, "two sets, as announced");
    expect((struct claims){.rsiz = ANNOUNCED, .style = HT, .header = "1 1 001 1100 0 010 0001", .bytes = 3}, 0, 0, "z");
    /* seven passes, of which the first six stand in for planes */
    expect((struct claims){.rsiz = ANNOUNCED, .style = HT, .header = "1 1 001 1111 00001 0 00010", .bytes = 2}, 0, 0,
        "passes in front of the set are none");
}

static void regions(void **state)
{
    (void)state;
    struct claims claims = {.rsiz = ANNOUNCED, .style = HT, .main = J2K_RGN, .contents = {0, 0, 1}, .length = 3};
    expect(claims, 1, MAIN, "here is one");
    claims.ccap = 0x1000;
    expect(claims, 0, 0, "a region that is announced");
    claims.marker = claims.main;
    claims.main = 0;
    claims.ccap = 0x0800;
    expect(claims, 1, FIRST_PART + 18 + 12, "here is one");
}

static void transforms(void **state)
{
    (void)state;
    struct claims claims = {.rsiz = ANNOUNCED, .style = HT, .irreversible = 1};
    expect(claims, 1, COD, "of component 0 of tile 0 is not");
    claims.ccap = 0x0020;
    expect(claims, 0, 0, "irreversible, as announced");
}

/* Nine planes are coded of 9, whose bound is 9 with P = 1; and the bound is 8 with P = 0. */
static void bounds(void **state)
{
    const char *all = "1 1 00000000 1 0 0 010"; /* eight planes without a pass of their own */
    struct claims claims = {.rsiz = ANNOUNCED, .style = HT, .header = all, .bytes = 2};
    (void)state;
    expect(claims, 1, FIRST_PART + 14 + 2, "by 8 bits: a code-block in resolution 0 of component 0 of tile 0 has 9");
    claims.ccap = 1;
    expect(claims, 0, 0, "nine bits");
}

/* Return the run with the cleanup pass of a block's second set. */
static const struct made_run *second_set(const struct made_block *block)
{
    uint32_t pass = 0, sets = 0, i = 0;
    for (;; i++) {
        pass += block->run[i].passes;
        sets += block->run[i].length > 0 && pass % 3 == 1;
        if (sets == 2)
            return &block->run[i];
    }
}

/* The place is that of bytes in the second of two blocks, in whichever packet they are. */
static void places(void **state)
{
    static struct model_ht source;
    static struct made made;
    uint32_t random = 7;
    (void)state;
    source.width = source.height = 16;
    source.planes = 10;
    for (uint32_t n = 0; n < 12; n++) {
        const struct made_sets sets[2] = {{n % 3, 1, 1 + n % 3}, {7, 2, 1 + n / 3 % 3}};
        struct made_band band = {
            .height = 16, .layers = 3 + n % 2, .planes = 10, .style = HT, .ccap = n % 2 ? 0x2000 : 1, .blocks = 2};
        made_sets_forget();
        for (uint32_t b = 0; b < 2; b++) {
            band.block[b] = (struct made_block){.width = 16, .coder = J2K_HT};
            made_sets_fill(&source, 9, &random);
            made_sets_add(&band.block[b], &source, &sets[b], band.layers, &random);
        }
        made_blocks_write(&made, &band);
        expect_told(&made, 1, made_blocks_place(second_set(&band.block[1])), n % 2 ? "by 8 bits" : "has several");
    }
}

static void profiles(void **state)
{
    (void)state;
    struct claims claims = {.rsiz = ANNOUNCED, .style = HT, .main = J2K_CPF, .contents = {0, 3}, .length = 2};
    expect(claims, 1, MAIN, "CPF names profile1: there is one tile, or square tiles of 1024 and more");
    claims.contents[1] = 0;
    expect(claims, 0, 0, "no profile");
    claims.length = 1;
    expect(claims, 1, MAIN, "it has 1 bytes");
    claims = (struct claims){.rsiz = 0, .without_cap = true, .header = "0", .main = J2K_CPF, .length = 2};
    expect(claims, 1, MAIN - 10, "CPF goes with a claim of T.814");
    claims = (struct claims){.rsiz = ANNOUNCED, .style = HT, .main = J2K_PRF, .contents = {0, 1}, .length = 2};
    expect(claims, 1, MAIN, "PRF goes with low bits of 0xFFF");
    claims.rsiz = ANNOUNCED | 0x0FFF;
    expect(claims, 0, 0, "a profile of a large number");
    claims.length = 0;
    expect(claims, 1, MAIN, "PRF has words of 16 bits");
    claims.main = 0;
    expect(claims, 1, 6, "there is none");
}

static void expect_coded(const kst_image *image, const kst_j2k_options *j2k, const char *what)
{
    kst_buffer stream = j2k_coded(context, image, j2k);
    expect_kept(stream.data, stream.length, what);
    kst_buffer_release(context, &stream);
}

/* The encoder's own streams keep what they claim. */
static void encoder(void **state)
{
    kst_image image = noise_image(KST_FORMAT_RGB, 131, 77, 8);
    kst_j2k_options base, j2k;
    (void)state;
    kst_j2k_options_init(&base);
    base.style = KST_J2K_HT;
    base.levels = 3;
    expect_coded(&image, &base, "lossless");
    for (uint32_t target = KST_J2K_RATE; target <= KST_J2K_QUALITY; target++) {
        static const double value[] = {0, 3, 8, 40, 0.5, 90};
        j2k = base;
        j2k.target = (kst_j2k_target)target;
        j2k.value = value[target];
        j2k.passes = 3;
        j2k.layers = target == KST_J2K_RATE ? 3 : 1;
        expect_coded(&image, &j2k, "with loss");
    }
    for (uint32_t headers = KST_J2K_HEADERS_PPT; headers <= KST_J2K_HEADERS_PPM; headers++) {
        j2k = base;
        j2k.headers = (kst_j2k_headers)headers;
        expect_coded(&image, &j2k, "packed headers");
    }
    const kst_j2k_component own = {.component = 1, .fields = KST_J2K_OWN_STYLE | KST_J2K_OWN_TILE, .tile = 1};
    j2k = base;
    j2k.tile_width = j2k.tile_height = 50;
    j2k.component = &own;
    j2k.component_count = 1;
    expect_coded(&image, &j2k, "a tile-component of T.800");
    j2k = base;
    j2k.interest = (kst_region){20, 20, 30, 30};
    expect_coded(&image, &j2k, "a region of interest");
    assert_int_equal(kst_j2k_options_profile(&j2k, KST_J2K_PROFILE_1), KST_OK);
    j2k.style = KST_J2K_HT;
    expect_coded(&image, &j2k, "a profile");
    image_free(&image);
}

/* Streams that are transcoded keep their claims, too. */
static void transcoder(void **state)
{
    static const char *const names[] = {
        "a1_mono.j2c", "file1.jp2", "p0_03.j2k", "p0_06.j2k", "p0_09.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct source source = {0};
        kst_transcode_options options;
        kst_buffer output;
        source_load(context, &source, names[i]);
        kst_transcode_options_init(&options);
        options.jpeg2000.ht = KST_CHOICE_YES;
        for (uint32_t headers = 0; headers <= KST_J2K_HEADERS_PPM; headers++) {
            options.jpeg2000.headers = (kst_j2k_headers)headers;
            assert_int_equal(source_transcode(context, &source, &options, &output), KST_OK);
            expect_kept(output.data, output.length, names[i]);
            kst_buffer_release(context, &output);
        }
        source_unload(context, &source);
    }
}

static void expect_broken_profile(const char *name, uint64_t offset, const char *words)
{
    kst_breach last = {.offset = 0, .text = "nothing"};
    size_t length = 0;
    uint8_t *data = j2k_corpus_read("ht/streams", name, &length);
    assert_non_null(data);
    assert_int_equal(broken(data, length, &last), 1);
    assert_int_equal(last.offset, offset);
    assert_non_null(strstr(last.text, words));
    free(data);
}

/*
 * T.803's streams, and those of other encoders, keep what they claim, but for two: the profile in the CPF of one
 * demands another order of tile-parts, that in the CPF of the other demands other tiles.
 */
static void conformance(void **state)
{
    static const char *const names[] = {"byte.jph", "byte_causal.jhc", "ds0_hm_06_b18.j2k", "ds0_hm_15_b8.j2k",
        "ds0_ht_01_b11.j2k", "ds0_ht_02_b11.j2k", "ds0_ht_02_b12.j2k", "ds0_ht_04_b12.j2k", "ds0_ht_06_b15.j2k",
        "ds0_ht_06_b18.j2k", "ds0_ht_09_b11.j2k", "ds0_ht_10_b11.j2k", "ds0_ht_12_b11.j2k", "ds0_ht_14_b11.j2k",
        "ds0_ht_15_b14.j2k", "ds1_ht_01_b12.j2k", "ds1_ht_07_b11.j2k", "ojb_rgb_s16_53.j2c", "ojb_gray_u16_97.j2c",
        "simple_dec_irv97_64x64_tiles_yuv.jph", "simple_dec_rev53_64x64_16bit_gray.jph",
        "simple_enc_irv97_tall_narrow.j2c"};
    (void)state;
    if (corpus_is_made()) /* no program that the tests install makes such streams */
        skip("there are no HTJ2K streams of the conformance suite");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = 0;
        uint8_t *data = j2k_corpus_read("ht/streams", names[i], &length);
        assert_non_null(data);
        expect_kept(data, length, names[i]);
        free(data);
    }
    expect_broken_profile("ds0_ht_03_b14.j2k", 55, "CPF names profile0: the first tile-parts of all tiles come first");
    expect_broken_profile("ds1_ht_05_b11.j2k", 61, "CPF names profile1: there is one tile, or square tiles of 1024");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(announcement), cmocka_unit_test(kinds), cmocka_unit_test(sets),
        cmocka_unit_test(regions), cmocka_unit_test(transforms), cmocka_unit_test(bounds), cmocka_unit_test(places),
        cmocka_unit_test(profiles), cmocka_unit_test(encoder), cmocka_unit_test(transcoder),
        cmocka_unit_test(conformance)};
    if (!j2k_corpus_present())
        return 77;
    return run_with_context(1, tests, NULL, NULL);
}
