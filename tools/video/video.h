/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares sequences of frames: a sequence, a frame in memory, and the table of containers. */
#ifndef KOSTKA_TOOL_VIDEO_H
#define KOSTKA_TOOL_VIDEO_H

#include "files/picture.h"
#include "files/samples.h"
#include "video/input.h"
#include "video/track.h"

/* Says what the bytes of a frame are. */
enum video_payload {
    PAYLOAD_PIXELS,  /* planes without padding, one after the other, or interleaved RGB */
    PAYLOAD_JPEG,    /* a JPEG stream */
    PAYLOAD_JPEG2000 /* a JPEG 2000 codestream or JP2 file */
};

/* Says how the samples of a frame are stored. Samples of more than 8 bits take two bytes, in the machine's order. */
struct video_shape {
    uint32_t width, height; /* of the picture in pixels */
    uint32_t planes;        /* 1: grey; 3: Y, Cb, Cr */
    uint32_t depth;         /* 8–16 bits */
    uint32_t h, v;          /* a sample of the second and third plane stands for h×v pixels */
    bool rgb;               /* interleaved RGB instead of planes */
};

enum video_range { RANGE_UNKNOWN, RANGE_FULL, RANGE_LIMITED };

/* Lists the matrices that convert RGB to Y, Cb and Cr, by their numbers in Rec. ITU-T H.273. */
enum video_matrix {
    MATRIX_RGB = 0, /* no planes of Y, Cb and Cr, but RGB; only containers say so */
    MATRIX_BT709 = 1,
    MATRIX_UNKNOWN = 2,
    MATRIX_BT601 = 5, /* for 625 lines, and for JPEG */
    MATRIX_BT601_525 = 6,
    MATRIX_BT2020 = 9
};

/* Holds what is known about a sequence. */
struct video_info {
    enum video_payload payload;
    struct video_shape shape;  /* for coded frames: set once the first one has been examined */
    struct video_ratio rate;   /* frames a second */
    struct video_ratio aspect; /* the width of a pixel by its height */
    enum video_range range;
    bool fields;                         /* a coded frame is two streams: the odd and the even rows of the picture */
    char interlace;                      /* as in Y4M: p, t, b, m, or ? */
    char siting[16];                     /* siting of 4:2:0 chroma, as in Y4M: jpeg, mpeg2, paldv; empty: not known */
    uint8_t primaries, transfer, matrix; /* colours by the numbers of Rec. ITU-T H.273; 2: not known */
    char timecode[32];                   /* time code of the first frame: HH:MM:SS:FF; empty: there is none */
    int64_t start;                       /* when the first frame is due, in microseconds of the packets' clock */
    uint64_t frames;                     /* 0: not known */
};

/* Describes a frame and its memory, which grows when necessary. */
struct video_frame {
    uint8_t *block;  /* the memory, with the room in front; null: none yet */
    size_t capacity; /* bytes behind that room */
    uint8_t *bytes;  /* FRAME_ROOM bytes behind `block` */
    size_t length;
    uint64_t offset;      /* offset of the frame in the container */
    kst_context *context; /* the context whose device copies pinned memory at full speed; or null */
    bool pinned;          /* the memory is from kst_pinned_allocate() */
};

enum { FRAME_ROOM = 64 /* bytes in front of a frame, which a container's writer may use */ };

/* Make room for `capacity` bytes, and keep the first `length` bytes. */
bool frame_reserve(struct video_frame *frame, size_t capacity, struct problem *problem);

/* Make room for `length` bytes behind those that are there, and for some more that may follow. */
bool frame_extend(struct video_frame *frame, size_t length, struct problem *problem);
bool frame_append(struct video_frame *frame, const void *data, size_t length, struct problem *problem);
void frame_release(struct video_frame *frame);

/* Convert samples between the machine's byte order and little-endian order, which files have. */
void frame_order(const struct video_shape *shape, struct video_frame *frame);

/* Holds what the command line says about a sequence, which its container may not state. */
struct video_wishes {
    struct video_ratio rate;  /* 0:0: the container's, or 25 */
    struct video_shape shape; /* shape of raw frames; a width of 0: not set */
    uint8_t matrix;           /* matrix of planes (enum video_matrix); 0: not set */
    uint64_t first;           /* number of the first file of a numbered sequence, if has_first is set */
    bool has_first;
    bool strict; /* damaged and missing files of a numbered sequence end the work */
    uint64_t max_pixels, max_memory;
};

/* Counts damaged and missing files of a numbered sequence, for each of which the frame before is repeated. */
struct video_losses {
    uint64_t damaged; /* files that could not be read */
    struct problem first_damaged;
    uint64_t absent; /* missing numbers in front of later files */
    uint64_t first_absent;
    uint64_t end, beyond; /* the last number, and the greatest number of files too far behind it; 0: there are none */
};

enum video_step {
    STEP_FRAME,
    STEP_PACKET, /* the reader has a packet of a copied track */
    STEP_END,
    STEP_FAILED
};

struct video_reader;
struct video_writer;

/* Describes a container. `open` is null if it cannot be read, `begin` if it cannot be written. */
struct video_format {
    const char *name; /* for messages and for --in-format and --out-format */
    const char *extensions[4];
    unsigned payloads; /* payloads that can be written: combined 1 << enum video_payload */
    bool files;        /* each frame is a file, and a name with a number stands for all of them */
    bool whole;        /* can only be written to a file that allows writing at any offset */
    bool torn;         /* an unfinished file can be played */
    bool has_timecode; /* states the time code of its first frame */
    bool (*detect)(const uint8_t *head, size_t length); /* null: recognised by its name alone */
    /* Read what precedes the first frame, and set the reader's info as far as that states it. */
    bool (*open)(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem);
    /* Read the next frame or packet. A frame without bytes repeats the previous one. */
    enum video_step (*next)(struct video_reader *reader, struct video_frame *frame, struct problem *problem);
    void (*close)(struct video_reader *reader); /* null: nothing has to be freed */
    /* Choose which tracks are copied, and write what precedes the first frame. */
    bool (*begin)(struct video_writer *writer, struct problem *problem);
    /* Write a frame. The FRAME_ROOM bytes in front of it may be overwritten. */
    bool (*add)(struct video_writer *writer, struct video_frame *frame, struct problem *problem);
    /*
     * Write a packet of a track. `begin` clears `copied` of tracks that are not copied. Null: the container has no
     * tracks.
     */
    bool (*add_packet)(struct video_writer *writer, const struct video_packet *packet, struct problem *problem);
    bool (*end)(struct video_writer *writer, struct problem *problem);
    void (*drop)(struct video_writer *writer); /* free what `begin` made; null: nothing */
};

extern const struct video_format video_y4m, video_avi, video_mjpeg, video_multipart, video_raw;
extern const struct video_format video_mkv, video_mov, video_mp4, video_mxf;

/* Set all of a shape but its sides by a name such as yuv420p or gray10. Returns false if the name is not known. */
bool shape_set_layout(struct video_shape *shape, const char *name);

/* Find a container by its name, by a file's name, and by a file's first bytes. Null: it is not known. */
const struct video_format *video_format_by_name(const char *name);
const struct video_format *video_format_by_path(const char *path);
const struct video_format *video_format_of(const uint8_t *head, size_t length);

struct video_reader {
    const struct video_format *format;
    const char *path;
    struct video_info info;
    struct video_input input;
    bool exchanges;       /* a frame may get the memory of another frame, and lose its own */
    uint64_t frame_limit; /* the most bytes that a coded frame may have */
    uint64_t count;       /* frames that have been read */
    uint64_t skipped;     /* bytes between frames that do not belong to any */
    bool retimed;         /* --fps sets another rate than the container states */
    uint64_t uneven;      /* frames that are due at other times than the rate implies */
    uint64_t missing;     /* bytes that the last frame lacks because the file ends */
    uint32_t left_out;    /* streams that are neither frames nor tracks: a second video, attached files */
    struct video_track *track;
    uint32_t tracks;
    uint64_t first;              /* number of the first file of a numbered sequence */
    struct video_losses *losses; /* counts of damaged and missing files, which the pass owns */
    struct video_packet *packet; /* the packet of STEP_PACKET, which the caller frees */
    void *metadata;              /* libavformat's metadata of the whole file (AVDictionary); null: none */
    void *state;                 /* state of the container */
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
    double cut;           /* seconds of sound behind the last frame that are cut off */
    bool records;         /* frames come once, from a pipe: what is written is kept from the first one on */
    uint64_t first;       /* number of the first file of a numbered sequence */
    uint64_t count;       /* number of frames written, including the current one */
    void *state;
};

/*
 * Check, before the headers are written, that frames of another rate do not drift away from copied tracks, whose
 * packets keep their times.
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

/*
 * Find the shape of the image that a stream decodes to as planes. Returns false, with the problem, if such a shape is
 * not supported.
 */
bool shape_of_image(const kst_image *image, struct video_shape *shape, struct problem *problem);

bool shape_equal(const struct video_shape *a, const struct video_shape *b);

/* Describe a shape in a few words: "640x480 4:2:0 8 bits". */
const char *shape_text(const struct video_shape *shape, char text[64]);

/* Divide both numbers by their greatest common divisor. */
struct video_ratio ratio_reduce(struct video_ratio ratio);

#endif
