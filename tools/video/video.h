/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares sequences of frames: what a sequence is, one frame on its way, and the table of containers. */
#ifndef KOSTKA_TOOL_VIDEO_H
#define KOSTKA_TOOL_VIDEO_H

#include "files/picture.h"
#include "files/samples.h"
#include "video/input.h"
#include "video/track.h"

/* What the bytes of a frame are. */
enum video_payload {
    PAYLOAD_PIXELS,  /* planes without padding, one behind the other, or interleaved RGB */
    PAYLOAD_JPEG,    /* a JPEG stream */
    PAYLOAD_JPEG2000 /* a JPEG 2000 codestream or JP2 file */
};

/* Says how the samples of a frame lie. Those of more than 8 bits take two bytes, in the machine's order. */
struct video_shape {
    uint32_t width, height; /* of the picture in pixels */
    uint32_t planes;        /* 1: grey; 3: Y, Cb, Cr */
    uint32_t depth;         /* 8–16 bits */
    uint32_t h, v;          /* a sample of the second and third plane stands for h×v pixels */
    bool rgb;               /* interleaved RGB instead of planes */
};

enum video_range { RANGE_UNKNOWN, RANGE_FULL, RANGE_LIMITED };

/* What Y, Cb and Cr are made of, by the numbers of Rec. ITU-T H.273. */
enum video_matrix {
    MATRIX_BT709 = 1,
    MATRIX_UNKNOWN = 2,
    MATRIX_BT601 = 5, /* that of 625 lines, and of JPEG */
    MATRIX_BT601_525 = 6,
    MATRIX_BT2020 = 9
};

/* Holds what is known about a sequence. */
struct video_info {
    enum video_payload payload;
    struct video_shape shape;  /* of PAYLOAD_PIXELS; of coded frames once the first of them has been examined */
    struct video_ratio rate;   /* frames a second */
    struct video_ratio aspect; /* the width of a pixel by its height */
    enum video_range range;
    bool fields;                         /* a coded frame is two streams: the odd and the even rows of the picture */
    char interlace;                      /* as in Y4M: p, t, b, m, or ? */
    char siting[16];                     /* of 4:2:0 chroma, as in Y4M: jpeg, mpeg2, paldv; empty: not known */
    uint8_t primaries, transfer, matrix; /* colours by the numbers of Rec. ITU-T H.273; 2: not known */
    char timecode[32];                   /* of the first frame: HH:MM:SS:FF; empty: there is none */
    int64_t start;                       /* when the first frame is due by the clock of packets, in microseconds */
    uint64_t frames;                     /* 0: not known */
};

/* Describes a frame and the memory that it is in, which grows as it needs to. */
struct video_frame {
    uint8_t *block;  /* with the room in front; null: there is none yet */
    size_t capacity; /* bytes behind that room */
    uint8_t *bytes;  /* FRAME_ROOM bytes behind `block` */
    size_t length;
    uint64_t offset;      /* of the frame in the container */
    kst_context *context; /* whose device copies from and to the memory at full speed, if it is pinned; or null */
    bool pinned;          /* the memory is that of kst_pinned_allocate() */
};

enum { FRAME_ROOM = 64 /* bytes in front of a frame, which a container's writer may use */ };

/* Make room for `capacity` bytes and keep the first `length` ones. */
bool frame_reserve(struct video_frame *frame, size_t capacity, struct problem *problem);
bool frame_append(struct video_frame *frame, const void *data, size_t length, struct problem *problem);
void frame_release(struct video_frame *frame);

/* Change samples between the machine's byte order and that of files, where the less significant byte comes first. */
void frame_order(const struct video_shape *shape, struct video_frame *frame);

/* What the command line says about a sequence that a container does not say itself. */
struct video_wishes {
    struct video_ratio rate;  /* 0:0: the container's, or 25 */
    struct video_shape shape; /* of raw frames; a width of 0: not said */
    uint8_t matrix;           /* of planes; 0: not said */
    uint64_t first;           /* number of the first file of a numbered sequence */
    bool has_first;           /* it has been said */
    bool strict;              /* a file of a numbered sequence that cannot be read, or is missing, ends the work */
    uint64_t max_pixels, max_memory;
};

/* Counts files of a numbered sequence in whose place a frame is repeated. */
struct video_losses {
    uint64_t damaged; /* files that could not be read */
    struct problem first_damaged;
    uint64_t absent; /* numbers that no file has, while later ones do */
    uint64_t first_absent;
    uint64_t end, beyond; /* the last number, and a later one that is too far behind it; 0: there is none */
};

enum video_step {
    STEP_FRAME,
    STEP_PACKET, /* the reader has a packet of a track that is copied */
    STEP_END,
    STEP_FAILED
};

struct video_reader;
struct video_writer;

/* Describes a container. One that is not read has no `open`, one that is not written no `begin`. */
struct video_format {
    const char *name; /* for messages and for --in-format and --out-format */
    const char *extensions[4];
    unsigned payloads; /* those that are written: or-ed 1 << enum video_payload */
    bool files;        /* each frame is a file, and a name with a number stands for all of them */
    bool whole;        /* only a file that can be written at any place */
    bool torn;         /* what there is of a file that was not finished plays */
    bool has_timecode; /* it says the time code of its first frame */
    bool (*detect)(const uint8_t *head, size_t length); /* null: by its name alone */
    /* Read what stands in front of the first frame, and set the reader's info as far as it says. */
    bool (*open)(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem);
    /* Read the next frame, of which one without bytes repeats the one before, or a packet. */
    enum video_step (*next)(struct video_reader *reader, struct video_frame *frame, struct problem *problem);
    void (*close)(struct video_reader *reader); /* null: there is nothing to free */
    /* Choose the tracks that are copied, and write what stands in front of the first frame. */
    bool (*begin)(struct video_writer *writer, struct problem *problem);
    /* Write a frame. The bytes in front of it may be used. */
    bool (*add)(struct video_writer *writer, struct video_frame *frame, struct problem *problem);
    /* Write a packet of a track. `begin` clears `copied` of those that are not. Null: the container has no tracks. */
    bool (*add_packet)(struct video_writer *writer, const struct video_packet *packet, struct problem *problem);
    bool (*end)(struct video_writer *writer, struct problem *problem);
    void (*drop)(struct video_writer *writer); /* free what `begin` made; null: there is nothing */
};

extern const struct video_format video_y4m, video_avi, video_mjpeg, video_multipart, video_raw;
extern const struct video_format video_mkv, video_mov, video_mp4, video_mxf;

/* Set all but the sides of a shape by a name such as yuv420p or gray10. Returns false if it is none. */
bool shape_set_layout(struct video_shape *shape, const char *name);

/* Find a container by its name, by the name of a file, and by the first bytes of one. Null: it is not known. */
const struct video_format *video_format_by_name(const char *name);
const struct video_format *video_format_by_path(const char *path);
const struct video_format *video_format_of(const uint8_t *head, size_t length);

struct video_reader {
    const struct video_format *format;
    const char *path;
    struct video_info info;
    struct video_input input;
    bool exchanges;       /* a frame may get memory that another one had, and leave its own behind */
    uint64_t frame_limit; /* the most bytes that a coded frame may have */
    uint64_t count;       /* frames that have been read */
    uint64_t skipped;     /* bytes between frames that belong to none */
    bool retimed;         /* --fps sets another rate than the container says */
    uint64_t uneven;      /* frames that are due at other times than the rate says */
    uint64_t missing;     /* bytes that the last frame lacks because the file ends */
    uint32_t left_out;    /* streams that are neither frames nor tracks: a second video, attached files */
    struct video_track *track;
    uint32_t tracks;
    struct video_losses *losses; /* what numbered files lack; it is the pass's */
    struct video_packet *packet; /* what STEP_PACKET has read; it is the caller's to free */
    void *metadata;              /* libavformat's, of the whole file (AVDictionary); null: there are none */
    void *state;                 /* the container's */
};

struct video_writer {
    const struct video_format *format;
    const char *path;
    struct video_info info;
    struct output output;
    struct video_track *track; /* the reader's */
    uint32_t tracks;
    const void *metadata; /* the reader's */
    bool retimed;         /* frames are due at other times than the reader's container says */
    double cut;           /* seconds of sound behind the last frame that the container cuts off */
    bool records;         /* frames come once, from a pipe: what is written is kept from the first one on */
    uint64_t first;       /* number of the first file of a numbered sequence */
    uint64_t count;       /* frames that have been written, and the one that is being written */
    void *state;
};

/*
 * Check, before the headers are written, that no frames of another rate run away from tracks that are copied: packets
 * are due when they were.
 */
bool tracks_keep_time(const struct video_writer *writer, struct problem *problem);

/* Return the bytes of a frame of pixels. */
size_t shape_bytes(const struct video_shape *shape);

/* Return whether the limits permit frames of this shape. */
bool shape_permitted(const struct video_shape *shape, const struct video_wishes *wishes, struct problem *problem);

/* Describe a frame of pixels as an image. */
void shape_image(const struct video_shape *shape, uint8_t *bytes, kst_image *image);

/* Describe one plane of an image as an image of its own. */
void plane_image(const kst_image *whole, uint32_t index, kst_image *image);

/* Find the shape of the image that a stream decodes to as planes. Returns false with the problem if it is none of ours.
 */
bool shape_of_image(const kst_image *image, struct video_shape *shape, struct problem *problem);

bool shape_equal(const struct video_shape *a, const struct video_shape *b);

/* Describe a shape in a few words: "640x480 4:2:0 8 bits". */
const char *shape_text(const struct video_shape *shape, char text[64]);

/* Divide both numbers by their greatest common divisor. */
struct video_ratio ratio_reduce(struct video_ratio ratio);

#endif
