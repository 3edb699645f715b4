/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the command line: verbs combine groups of options. */
#ifndef KOSTKA_TOOL_OPTIONS_H
#define KOSTKA_TOOL_OPTIONS_H

#include <getopt.h>

#include "files/files.h"
#include "options/list.h"
#include "options/shard.h"

/* Lists the codes that getopt_long() returns for options; an option with a short form has its letter as code. */
enum option_code {
    OPTION_HELP = 'h',
    OPTION_INPUT = 'i',
    OPTION_OUTPUT = 'o',
    OPTION_VERBOSE = 'v',
    OPTION_QUALITY = 'q',
    OPTION_THREADS = 't',
    OPTION_NULL = '0',
    OPTION_FIRST = 256,
    OPTION_AXIS,
    OPTION_AGREEING,
    OPTION_BASELINE,
    OPTION_BATCH,
    OPTION_BITRATE,
    OPTION_BITS_PER_FRAME,
    OPTION_BOX,
    OPTION_BRICK,
    OPTION_CALLS,
    OPTION_CICP,
    OPTION_CLOUD,
    OPTION_CODEBLOCK,
    OPTION_CODEC,
    OPTION_CODED_LAYERS,
    OPTION_CODESTREAM,
    OPTION_COMMENT,
    OPTION_COMPONENT,
    OPTION_COMPONENTS,
    OPTION_COMPRESSION,
    OPTION_CONFIDENCE,
    OPTION_CONTAINER,
    OPTION_CROP,
    OPTION_DEPTHS,
    OPTION_DEVICE,
    OPTION_DISPARITIES,
    OPTION_DRAFT,
    OPTION_ENCODE,
    OPTION_ENDIAN,
    OPTION_EPH,
    OPTION_ERROR,
    OPTION_EXIF,
    OPTION_FAIL_FAST,
    OPTION_FILES_FROM,
    OPTION_FILTER,
    OPTION_FILTERS,
    OPTION_FIRST_NUMBER,
    OPTION_FIRST_OUT,
    OPTION_FIT,
    OPTION_FLIP,
    OPTION_FORMAT,
    OPTION_FORWARD_DCT,
    OPTION_FPS,
    OPTION_FRAME_RATE,
    OPTION_GREY,
    OPTION_GUARD_BITS,
    OPTION_ICC,
    OPTION_IMAGE,
    OPTION_INDEX,
    OPTION_INTEREST,
    OPTION_IN_FORMAT,
    OPTION_INTERLEAVE,
    OPTION_INTERLEAVE_PLANES,
    OPTION_INVERSE_DCT,
    OPTION_IN_PLACE,
    OPTION_JSON,
    OPTION_KEEP_COMPONENTS,
    OPTION_LATENCY,
    OPTION_LAYOUT,
    OPTION_LEAST,
    OPTION_LEVEL,
    OPTION_LEVELS,
    OPTION_LOSSLESS,
    OPTION_MANIFEST,
    OPTION_MATRIX,
    OPTION_MAX_COUNT,
    OPTION_MAX_FAILURES,
    OPTION_MAX_MEMORY,
    OPTION_MAX_WORK,
    OPTION_MAX_PIXELS,
    OPTION_MAX_SIZE,
    OPTION_MEASURE,
    OPTION_MEMORY,
    OPTION_MOST_TIME,
    OPTION_OPTIMIZE,
    OPTION_ORIENT,
    OPTION_OTHERS,
    OPTION_OUT_DIR,
    OPTION_OUT_FORMAT,
    OPTION_PACKED,
    OPTION_P1,
    OPTION_P2,
    OPTION_PATHS,
    OPTION_PEERS,
    OPTION_PERFECT,
    OPTION_PLANES,
    OPTION_PLT,
    OPTION_POC,
    OPTION_PRECINCTS,
    OPTION_PRECISION,
    OPTION_PROFILE,
    OPTION_PROGRESSION,
    OPTION_PROGRESSIVE,
    OPTION_PSNR,
    OPTION_QTABLES,
    OPTION_RATE,
    OPTION_RAW,
    OPTION_RAW_LAYOUT,
    OPTION_RATIO,
    OPTION_RADIUS,
    OPTION_RECODE,
    OPTION_RECURSIVE,
    OPTION_MIX,
    OPTION_REDUCE,
    OPTION_REDUCE_Z,
    OPTION_REFERENCE,
    OPTION_LAYERS,
    OPTION_REPEAT,
    OPTION_RESIZE,
    OPTION_RESTART,
    OPTION_RESUME,
    OPTION_REVERSIBLE,
    OPTION_RGB,
    OPTION_ROTATE,
    OPTION_SCALE,
    OPTION_SCANS,
    OPTION_SHAPE,
    OPTION_SHARD,
    OPTION_SHARDS,
    OPTION_SHARE, /* --shard of a store */
    OPTION_GO_ON, /* --resume of a store */
    OPTION_SIMILAR,
    OPTION_SIZE,
    OPTION_SOP,
    OPTION_STEP,
    OPTION_HT,
    OPTION_WEIGHTS,
    OPTION_PASSES,
    OPTION_STRICT,
    OPTION_STRIP,
    OPTION_STYLE,
    OPTION_SUBSAMPLING,
    OPTION_SVG,
    OPTION_TILE,
    OPTION_TILES,
    OPTION_TILE_PARTS,
    OPTION_TLM,
    OPTION_TOLERANCE,
    OPTION_TRANSPOSE,
    OPTION_TRANSVERSE,
    OPTION_TRIM,
    OPTION_TYPE,
    OPTION_UNIQUENESS,
    OPTION_UNIT,
    OPTION_UPSAMPLING,
    OPTION_VIEWS,
    OPTION_WIDE_QUANTISERS,
    OPTION_Z_LEVELS
};

enum { OPTIONS_MAX = 128 }; /* the most options of a verb, aliases included */

/* Handles one option. Returns false, after a message on standard error, if its value is wrong. */
typedef bool (*option_handler)(const char *verb, void *settings, int code, const char *value);

/*
 * Describes an option, and the files that it applies to: kinds that are written, kinds that are read, or both. It
 * applies if one of the two matches; if neither is set it always applies.
 */
struct option_entry {
    const char *name;  /* without the dashes */
    const char *value; /* null: no value; in brackets: optional; FILE, DIR, or a|b for the words a and b */
    int code;
    unsigned targets, sources; /* combined enum file_kind */
};

/* Describes a group of options. Its table ends with a zeroed entry. */
struct option_group {
    const struct option_entry *table;
    option_handler handle;
    void *settings;
};

/* Holds the options of a call, each once, in the order of their first occurrence. */
struct options_given {
    const struct option_entry *entry[OPTIONS_MAX];
    size_t count;
};

/*
 * Reads the options of a verb. Returns true, with optind at the first operand, if the verb is to go on; otherwise
 * *exit_code is the verb's exit code (0 after --help).
 */
bool options_read(const struct verb *verb, int argc, char **argv, const struct option_group *groups, size_t count,
    struct options_given *given, int *exit_code);

/* Makes options_read() call a function for each option that exists, and return false, instead of reading options. */
void options_listen(void (*listener)(void *user, const struct option_entry *entry), void *user);

bool options_have(const struct options_given *given, int code);

/*
 * Checks the options of a call against each other, and against the kinds of files (combined enum file_kind) that can be
 * written and read. Returns false after a message if an option does not apply. `remedy`, which may be null, says what
 * to do about an option that applies to other outputs.
 */
bool options_check(
    const char *verb, const struct options_given *given, unsigned targets, unsigned sources, const char *remedy);

/* Complains about an option if it was used: "--NAME: WHY". Returns true if it was not used. */
bool options_refuse(const char *verb, const struct options_given *given, int code, const char *why);

/* Holds the options that every verb has. */
struct common_options {
    uint32_t threads;
    const char *device;
    uint64_t max_pixels; /* 0: the library's limit, as for the next two members */
    uint64_t max_memory;
    uint64_t max_work;
    bool verbose;
};
struct option_group common_group(struct common_options *options);

/* Makes the context that the options describe. On failure prints the reason and returns the exit code. */
int common_context(const struct common_options *options, uint32_t threads, kst_context **context);
int common_complain(const struct common_options *options, kst_status status); /* prints why */
bool common_names_many(const struct common_options *options); /* whether an option or KOSTKA_DEVICE names several */
uint64_t common_max_pixels(const struct common_options *options);
uint64_t common_max_memory(const struct common_options *options);
bool common_on_cpu(const struct common_options *options); /* whether an option or KOSTKA_DEVICE chooses the CPU */

/* Holds the options for many inputs, which require a folder for outputs. */
struct many_options {
    bool recursive;
    struct list list; /* names further inputs; its path may be null */
    struct shard shard;
    uint64_t max_failures; /* after so many failures no further input begins; 0: any number may fail */
    const char *manifest;  /* null: none */
    bool resume;
};

/* Holds the options of verbs that make files. */
struct output_options {
    const char *directory;            /* null: one input and one output */
    const char *archives;             /* pattern of the names of archives in that folder; null: files are made */
    uint64_t most_groups;             /* the most groups of an archive; 0: any number */
    uint64_t most_bytes;              /* the most bytes of an archive, unless one group has more; 0: any number */
    const struct file_format *format; /* null: chosen by the output's name */
    int compression;
    bool in_place; /* an output may replace its own input */
    struct many_options many;
};
struct option_group output_group(struct output_options *options);

/*
 * If the last operand ends in .tar, remove it from the operands and make it the pattern for archives, which counts as
 * an --out-dir. Returns false after a message if anything about it is wrong.
 */
bool output_take_archives(
    const char *verb, struct output_options *output, struct options_given *given, int *argc, char **argv);
struct option_group many_group(struct many_options *options);

/* Returns the group of --json. */
struct option_group json_group(bool *json);

struct option_group decode_group(kst_decode_options *options);
/*
 * Checks the decoding options against each other and the target, once all options have been read. Returns false after a
 * message if something is wrong.
 */
bool decode_options_check(const char *verb, const struct file_settings *files);

/* Returns the group of --endian, --interleave and --raw-layout, and of --raw if raw samples can be read. */
struct option_group samples_group(struct file_settings *files, bool reads);

/* Returns the group of --resize, the options that modify it, and --filters, and sets the defaults. */
struct option_group resize_group(struct resize_settings *settings);

struct option_group recode_group(kst_transcode_jpeg2000 *options);

/* Holds the options of encoding, and what they point to. */
enum { COMMENTS_MAX = 16 };

struct encode_settings {
    kst_encode_options options;
    bool quality_given;
    bool subsampling_named; /* the subsampling was set by a name such as 420 */
    uint16_t tables[4][64];
    size_t table_count;
    kst_scan *script;
    kst_metadata metadata[2 + COMMENTS_MAX]; /* ICC profile, Exif and comments */
    struct source icc;
    struct source exif;
};
void encode_settings_init(struct encode_settings *settings);
void encode_settings_release(struct encode_settings *settings);
/*
 * Completes settings that depend on several options, once all have been read. Returns false after a message if
 * something is wrong.
 */
bool encode_settings_finish(const char *verb, struct encode_settings *settings);
struct option_group encode_group(struct encode_settings *settings);

/* Holds the options of encoding JPEG 2000, and what they point to. */
struct j2k_settings {
    kst_j2k_options options;
    double layer_value[64];
    size_t value_count;
    kst_j2k_change change[32];
    kst_j2k_component component[32];
    bool given; /* at least one of the options was used */
};
void j2k_settings_init(struct j2k_settings *settings);
/* Checks the options once all have been read. Returns false after a message if something is wrong. */
bool j2k_settings_finish(const char *verb, struct j2k_settings *settings);
/* Does the same, and chooses JPEG 2000 as the codec if one of the options demands it. */
bool j2k_settings_choose(const char *verb, struct j2k_settings *settings, kst_encode_options *options);
struct option_group j2k_group(struct j2k_settings *settings, bool with_layers);

/* The following functions read the values of options. Each returns false after a message if the value is wrong. */
bool value_number(
    const char *verb, const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number);
bool value_count(
    const char *verb, const char *option, const char *value, uint32_t low, uint32_t high, uint32_t *number);
bool value_dct(const char *verb, const char *option, const char *value, kst_dct *dct);
bool value_reduce(const char *verb, const char *value, uint32_t *reduce); /* --reduce: resolutions to leave out */
bool value_layers(const char *verb, const char *value, uint32_t *layers); /* --layers to keep */
bool value_bytes(const char *verb, const char *option, const char *value, uint64_t *number);    /* 100, 64K, 512M, 4G */
bool value_region(const char *verb, const char *option, const char *value, kst_region *region); /* WxH+X+Y or X,Y,W,H */
/* Reads numbers and ranges, "0,3,5-7", into an ascending list of at most `most` numbers, each below `most`. */
bool value_list(
    const char *verb, const char *option, const char *value, uint32_t most, uint32_t *list, uint32_t *count);
bool value_positive(const char *verb, const char *option, const char *value, double *number);
bool value_progression(const char *verb, const char *value, kst_progression *progression); /* LRCP … */
bool value_division(const char *verb, const char *value, uint32_t *division);              /* or-ed kst_j2k_division */
bool value_headers(const char *verb, const char *value, kst_j2k_headers *headers);         /* ppt, ppm, no */
bool value_restart(const char *verb, const char *value, kst_restart *restart);

/* The following functions read files that encoding options name. */
bool value_script(const char *verb, const char *path, kst_scan **script, size_t *length); /* replaces `script` */
bool tables_read(const char *path, uint16_t tables[4][64], size_t *count, struct problem *problem);

#endif
