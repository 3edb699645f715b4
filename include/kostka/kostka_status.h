/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_STATUS_H
#define KOSTKA_STATUS_H

/**
 * @file
 * Declares the statuses that calls return, errors and warnings, with their names and texts. kostka.h includes this
 * header.
 */

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KST_API __attribute__((visibility("default")))
#else
#define KST_API
#endif

/*
 * Status codes. A value never changes its meaning and is never reused; new ones are added at the end of their group.
 * Errors end a call without a result. Warnings (200–299) are counted while decoding goes on; in strict mode the first
 * one becomes the status of the call. kst_status_name() and kst_status_text() give the name and a sentence.
 */
typedef enum kst_status {
    KST_OK = 0,

    /* 1–19: the call itself */
    KST_ERROR_ARGUMENT = 1,  /* a null pointer, or a value outside the range the function states */
    KST_ERROR_OPTIONS = 2,   /* an option structure not initialised, or values that cannot be honoured */
    KST_ERROR_MEMORY = 3,    /* the allocator returned null */
    KST_ERROR_STATE = 4,     /* the handle is not in a state that allows the call */
    KST_ERROR_THREAD = 5,    /* a thread could not be started */
    KST_ERROR_ROWS = 6,      /* the caller's function did not provide the requested rows */
    KST_ERROR_WRITE = 7,     /* the caller's function did not take the bytes it received */
    KST_ERROR_CANCELLED = 8, /* the caller's function ended the operation (kst_progress) */
    KST_ERROR_READ = 9,      /* a file could not be read (kst_flow) */

    /* 20–39: devices */
    KST_ERROR_DEVICE_NAME = 20,    /* a device name that is not of the form cpu, cuda[:N], opencl[:N], auto */
    KST_ERROR_DEVICE_MISSING = 21, /* the requested device does not exist */
    KST_ERROR_DEVICE_FAILED = 22,  /* the device reported a failure */
    KST_ERROR_CPU_TIER = 23,       /* an instruction tier that is unknown or that this processor lacks */
    KST_ERROR_DEVICE_STREAM = 24,  /* a stream or queue of another device or context */
    KST_ERROR_GL_CONTEXT = 25,     /* no OpenGL context is current, the wrong one is, or it is lost */
    KST_ERROR_GL_DEVICE = 26,      /* the OpenGL context draws with another device */
    KST_ERROR_GL_OBJECT = 27,      /* no such texture, buffer or framebuffer, or one that cannot be used */
    KST_ERROR_GL_FAILED = 28,      /* OpenGL reported an error */

    /* 40–59: limits (kst_limits) */
    KST_ERROR_LIMIT_PIXELS = 40,
    KST_ERROR_LIMIT_MEMORY = 41,
    KST_ERROR_LIMIT_SCANS = 42,
    KST_ERROR_LIMIT_MARKERS = 43,
    KST_ERROR_LIMIT_METADATA = 44,
    KST_ERROR_LIMIT_COMPONENTS = 45,
    KST_ERROR_LIMIT_TILES = 46,
    KST_ERROR_LIMIT_PRECINCTS = 47,
    KST_ERROR_LIMIT_BOXES = 48,
    KST_ERROR_LIMIT_TILE_PARTS = 49,
    KST_ERROR_LIMIT_LAYERS = 50,
    KST_ERROR_LIMIT_BLOCKS = 51,
    KST_ERROR_LIMIT_WORK = 52, /* the codestream asks for far more work than a real picture of its length does */

    /* 60–79: images and buffers */
    KST_ERROR_IMAGE_FORMAT = 60,  /* the pixel format does not fit the picture or the operation */
    KST_ERROR_IMAGE_SIZE = 61,    /* planes whose width, height or count do not fit the picture */
    KST_ERROR_IMAGE_PITCH = 62,   /* rows that overlap or overflow the address space */
    KST_ERROR_IMAGE_MEMORY = 63,  /* a memory kind that the context's device cannot reach */
    KST_ERROR_IMAGE_DEPTH = 64,   /* a bit depth or signedness that the codec does not code */
    KST_ERROR_REGION = 65,        /* a region that is empty or reaches outside the picture */
    KST_ERROR_BUFFER_FULL = 66,   /* the caller's output buffer is too small */
    KST_ERROR_IMAGE_BUFFER = 67,  /* device memory that ends before the plane in it does */
    KST_ERROR_IMAGE_SAMPLE = 68,  /* integers where floating-point samples are wanted, or the reverse */
    KST_ERROR_IMAGE_OVERLAP = 69, /* two images that share memory where they must not */

    /* 80–99: any coded stream */
    KST_ERROR_SIGNATURE = 80, /* not a format that this library decodes */
    KST_ERROR_TRUNCATED = 81, /* the data end before the picture starts */
    KST_ERROR_EMPTY = 82,     /* no data at all */

    /* 100–149: why a JPEG stream (T.81) cannot be decoded */
    KST_ERROR_JPEG_SOI = 100,             /* no SOI marker */
    KST_ERROR_JPEG_MARKER = 101,          /* a marker that may not stand here */
    KST_ERROR_JPEG_LENGTH = 102,          /* a marker segment whose length contradicts its contents */
    KST_ERROR_JPEG_NO_FRAME = 103,        /* a scan, or the end, before any SOF (B.2.2) */
    KST_ERROR_JPEG_TWO_FRAMES = 104,      /* a second SOF */
    KST_ERROR_JPEG_NO_SCAN = 105,         /* no SOS after the SOF: tables only, or cut off */
    KST_ERROR_JPEG_DIMENSIONS = 106,      /* a width of 0, or a height of 0 and no DNL (B.2.5) */
    KST_ERROR_JPEG_COMPONENTS = 107,      /* a number of components that this library does not decode */
    KST_ERROR_JPEG_SAMPLING = 108,        /* sampling factors outside 1–4, or more than 10 blocks in an MCU (B.2.3) */
    KST_ERROR_JPEG_SCAN_COMPONENT = 109,  /* a scan naming a component that the frame lacks, or one twice */
    KST_ERROR_JPEG_PROGRESSION = 110,     /* spectral selection or prediction outside G.1.1.1, H.1 */
    KST_ERROR_JPEG_QUANT_TABLE = 111,     /* a DQT with a destination above 3 */
    KST_ERROR_JPEG_QUANT_MISSING = 112,   /* a component whose quantisation table was never defined */
    KST_ERROR_JPEG_HUFFMAN_TABLE = 113,   /* a DHT that is no prefix code, or a destination above 3 */
    KST_ERROR_JPEG_HUFFMAN_MISSING = 114, /* a scan using a Huffman table that was never defined */
    KST_ERROR_JPEG_RESTART_INTERVAL = 115, /* a DRI of the wrong length, or of a part of an MCU row (H.1) */
    KST_ERROR_JPEG_TWO_SOI = 116,          /* an SOI inside the stream */
    KST_ERROR_JPEG_PRECISION = 117,        /* unsupported: samples of this precision */
    KST_ERROR_JPEG_ARITHMETIC = 118,       /* unsupported: arithmetic coding (SOF9–SOF11) */
    KST_ERROR_JPEG_LOSSLESS = 119,         /* unsupported: an operation on what SOF3 lacks, such as coefficients */
    KST_ERROR_JPEG_HIERARCHICAL = 120,     /* unsupported: hierarchical frames (SOF5–SOF7, SOF13–SOF15, DHP) */
    KST_ERROR_JPEG_COLOUR = 121,           /* a colour conversion that the picture's colour space does not allow */
    KST_ERROR_JPEG_SCAN_LENGTH = 122,      /* an SOS of the wrong length */

    /* 150–179: why a JPEG stream cannot be encoded or transformed */
    KST_ERROR_JPEG_TOO_LARGE = 150,     /* a side above 65,535 samples (B.2.2) */
    KST_ERROR_JPEG_QUALITY = 151,       /* a quality outside 1–100 */
    KST_ERROR_JPEG_TABLE_VALUE = 152,   /* a quantiser of 0, or above 255 in a baseline file */
    KST_ERROR_JPEG_SCRIPT = 153,        /* a scan script that breaks G.1.1.1 or leaves a coefficient out */
    KST_ERROR_JPEG_COEFFICIENT = 154,   /* a coefficient too large for the process */
    KST_ERROR_JPEG_NOT_PERFECT = 155,   /* a transform that cannot keep the edge blocks, where that was demanded */
    KST_ERROR_JPEG_METADATA_SIZE = 156, /* metadata too long for its marker */

    /* 200–299: warnings */
    KST_WARNING_JPEG_GARBAGE = 200,     /* bytes between markers were skipped */
    KST_WARNING_JPEG_DATA_END = 201,    /* entropy-coded data ended before the scan or restart interval did */
    KST_WARNING_JPEG_CODE = 202,        /* a bit pattern that is no Huffman code */
    KST_WARNING_JPEG_RESTART = 203,     /* a restart marker missing, surplus or out of order */
    KST_WARNING_JPEG_NO_EOI = 204,      /* the stream ends without EOI */
    KST_WARNING_JPEG_JFIF = 205,        /* a JFIF major version that is not known */
    KST_WARNING_JPEG_ADOBE = 206,       /* an Adobe transform code that is not known */
    KST_WARNING_JPEG_PROGRESSION = 207, /* progressive scans in an order that G.1.1.1.1 does not allow */
    KST_WARNING_JPEG_ICC = 208,         /* an ICC profile whose chunks are missing or contradict each other */
    KST_WARNING_JPEG_SPECTRAL = 209,    /* a sequential scan whose spectral selection is not 0–63 */
    KST_WARNING_JPEG_TRUNCATED = 210,   /* a marker segment after the first scan is damaged; what follows is ignored */
    KST_WARNING_JPEG_INDEX = 211,       /* an index of a file's other pictures (MPF, XMP) that does not fit the file */
    KST_WARNING_JPEG_RECODED = 212,     /* another picture of the file could not be turned or cut without loss */

    /* 240–269: warnings of JPEG 2000 */
    KST_WARNING_J2K_BOX = 240,          /* a box that is damaged or contradicts others is ignored */
    KST_WARNING_J2K_TRUNCATED = 241,    /* the data end inside a tile-part or in front of one */
    KST_WARNING_J2K_NO_EOC = 242,       /* the codestream ends without EOC */
    KST_WARNING_J2K_TILE_PART = 243,    /* tile-parts with wrong lengths or numbers */
    KST_WARNING_J2K_TILE_HEADER = 244,  /* a tile-part header that is damaged: its tile is not decoded */
    KST_WARNING_J2K_TILE_MISSING = 245, /* a tile without data */
    KST_WARNING_J2K_PACKET = 246, /* a damaged packet header: packets up to the next one that an SOP identifies, or the
                                     rest of the tile, are lost */
    KST_WARNING_J2K_PACKET_END = 247, /* a packet is cut off */
    KST_WARNING_J2K_LEFT = 248,       /* bytes of a tile-part that belong to no packet */
    KST_WARNING_J2K_SOP = 249,        /* an SOP that is out of order, or an EPH that is missing */
    KST_WARNING_J2K_BLOCK = 250,      /* a code-block with more bit planes or passes than its subband can have */
    KST_WARNING_J2K_DATA = 251,       /* a code-block whose coded data are damaged */
    KST_WARNING_J2K_LENGTHS = 252,    /* contradictory lengths of packets (PLT, PLM) or tile-parts (TLM); not used */

    /* 300–349: why a JPEG 2000 codestream (T.800) or file cannot be decoded */
    KST_ERROR_J2K_NO_CODESTREAM = 300,  /* a JP2 file without a codestream */
    KST_ERROR_J2K_SIZ = 301,            /* no SIZ marker segment behind SOC (A.5.1) */
    KST_ERROR_J2K_MARKER = 302,         /* a marker that may not stand here */
    KST_ERROR_J2K_LENGTH = 303,         /* a marker segment whose length contradicts its contents */
    KST_ERROR_J2K_DIMENSIONS = 304,     /* an empty picture or tile, or offsets outside (B.3) */
    KST_ERROR_J2K_COMPONENTS = 305,     /* no components, or more than 16,384 */
    KST_ERROR_J2K_DEPTH = 306,          /* samples of more than 38 bits */
    KST_ERROR_J2K_SAMPLING = 307,       /* a component separation of 0 */
    KST_ERROR_J2K_TILES = 308,          /* more than 65,535 tiles */
    KST_ERROR_J2K_COMPONENT = 309,      /* a marker segment for a component that does not exist */
    KST_ERROR_J2K_CODING = 310,         /* coding parameters outside Tables A.14–A.21 */
    KST_ERROR_J2K_QUANTISATION = 311,   /* an unknown quantisation style, or steps for too few subbands */
    KST_ERROR_J2K_NO_CODING = 312,      /* no COD or no QCD in the main header */
    KST_ERROR_J2K_ROI = 313,            /* an RGN of an unknown style, or a shift above 37 */
    KST_ERROR_J2K_PROGRESSION = 314,    /* a POC that is not allowed, or too many */
    KST_ERROR_J2K_PACKED_HEADERS = 315, /* PPM or PPT marker segments that are missing or contradict each other */
    KST_ERROR_J2K_TRANSFORM = 316,      /* a component transform of components that differ (Annex G) */
    KST_ERROR_J2K_NO_TILE = 317,        /* no tile-part to decode */
    KST_ERROR_J2K_REDUCE = 318,         /* more resolutions to leave out than a component has */
    KST_ERROR_J2K_HT = 319,             /* unsupported: high-throughput block coding (T.814) */
    KST_ERROR_J2K_EXTENSION = 320,      /* unsupported: extensions of T.801 */
    KST_ERROR_J2K_COLOUR = 321,         /* a format that the picture's channels do not allow */
    KST_ERROR_J2K_PROFILE = 322,        /* what is to be encoded breaks a rule of its profile (A.10) */
    KST_ERROR_J2K_MULTI = 323           /* a multiple component transform (T.801) that contradicts itself */
} kst_status;

/** Return the identifier of a status without its KST_ prefix, such as "ERROR_JPEG_SOI"; a static string, never null. */
KST_API const char *kst_status_name(kst_status status);

/** Return one sentence about a status; a static string, never null. */
KST_API const char *kst_status_text(kst_status status);

/** Return whether a status is one of the warnings (200–299). */
KST_API bool kst_status_is_warning(kst_status status);

#ifdef __cplusplus
}
#endif

#endif
