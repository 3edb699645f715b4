/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the wavelet transform along z, between the components of a volume (T.801): from slices to coded components
 * and back, on threads. Rows of all slices at one place are transformed together, level by level, in place.
 */
#ifndef KOSTKA_J2K_CPU_Z_H
#define KOSTKA_J2K_CPU_Z_H

#include "core/operation.h"
#include "j2k/cpu/dwt/inverse.h"
#include "j2k/plan/multi.h"

/* Holds slices in memory: samples of 1, 2 or 4 bytes, without gaps between those of a row. */
struct j2k_z_slices {
    uint8_t *data;
    size_t pitch, step; /* bytes from row to row, and from slice to slice */
    uint8_t bytes, depth;
    bool is_signed;
};

/* Holds planes of coded components: 32-bit integers or single precision. */
struct j2k_z_planes {
    uint8_t *data;
    size_t pitch, step; /* bytes from row to row, and from plane to plane */
    uint32_t width, height;
    const uint32_t *slot; /* the plane of each component; null: its own number */
};

/* Set the distances of planes of a size, so that rows of many planes do not compete for places in a cache. */
void kst_j2k_cpu_z_place(struct j2k_z_planes *planes);

struct j2k_z_work {
    const struct j2k_multi_collection *wavelet;
    const struct j2k_z_layout *layout;
    const struct j2k_z_need *need; /* only for synthesis */
    const struct j2k_z_planes *planes;
    const struct j2k_z_slices *slices; /* those of need->valid[need->reduce], or all */
    const double *offset;              /* for each of all slices, what is added to it; null: nothing */
};

/* Compute slices from coded components, which are overwritten. The report gets an error if memory is missing. */
kst_status kst_j2k_cpu_z_synthesise(const struct operation *op, const struct j2k_z_work *work);

/*
 * Compute coded components from slices, whose samples are moved down by half their range if they are unsigned. `bits`
 * receives how many bits a signed number needs to hold any of the results.
 */
kst_status kst_j2k_cpu_z_analyse(const struct operation *op, const struct j2k_z_work *work, uint32_t *bits);

/* Describes a piece of a row: at most J2K_Z_PIECE samples, which may be overwritten. */
enum { J2K_Z_PIECE = 256 };
struct j2k_z_row {
    void *row;
    uint32_t width;
    bool reversible; /* 32-bit integers, otherwise single precision */
};

/* Synthesise one level in place, from rows that are in order of their positions. */
void kst_j2k_cpu_z_level(
    const struct j2k_inverse *steps, void **row, struct j2k_z_range range, uint32_t width, bool reversible);

/* Add an offset, a whole number below 2^33 if reversible; and finish a row: offset, rounding and clamping, to `to`. */
void kst_j2k_cpu_z_add(void *row, uint32_t width, double offset, bool reversible);
void kst_j2k_cpu_z_finish(const struct j2k_inverse *steps, const struct j2k_z_row *from,
    const struct j2k_z_slices *slices, double offset, void *to);

/*
 * multi.c: make slices by any transform, from the planes of all coded components, which stay as they are. Each
 * component is of integers or in single precision, and is converted where a collection works on the other kind.
 */
struct j2k_multi_work {
    const struct j2k_multi *multi;
    const struct j2k_z_planes *planes;
    const struct j2k_z_slices *slices; /* those of `shown` */
    struct j2k_z_range shown;
    uint32_t coded;      /* number of coded components */
    const bool *is_real; /* for each of these: it is in single precision */
    /* For each of these, what is added to it if there are no stages (T.800 G.1). */
    const double *shift;
    /* For each component behind the last stage, its samples; null: `slices` describes those of all. */
    const struct j2k_multi_sample *sample;
};
kst_status kst_j2k_cpu_multi_synthesise(const struct operation *op, const struct j2k_multi_work *work);

/* multi_arrays.c: the inverse transforms by arrays (T.801 J.2), for rows of `width` samples. */
struct j2k_multi_rows {
    const double *value;   /* the array */
    const double *offset;  /* what is added to each output; null: nothing */
    uint32_t taken, made;  /* number of inputs and outputs */
    uint32_t width;        /* at most J2K_Z_PIECE */
    void *const *in, **to; /* rows of inputs and outputs; null inputs: the outputs' rows hold them */
};
/* Multiply by a matrix; offsets are not added. */
void kst_j2k_cpu_multi_multiply(const struct j2k_multi_rows *rows);
/* Add to each component what the components before it, which are complete, predict; and the offsets. */
void kst_j2k_cpu_multi_predict_reals(const struct j2k_multi_rows *rows);
void kst_j2k_cpu_multi_predict_integers(const struct j2k_multi_rows *rows);
/* Undo the steps of a reversible decorrelation, each of which changes one component; offsets are not added. */
void kst_j2k_cpu_multi_undo_steps(const struct j2k_multi_rows *rows);

#endif
