/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the name and the text of every status. */
#include <kostka/kostka.h>

struct status_entry {
    kst_status status;
    const char *name;
    const char *text;
};

#define ENTRY(name, text)                                                                                              \
    {                                                                                                                  \
        KST_##name, #name, text                                                                                        \
    }

static const struct status_entry entries[] = {
    ENTRY(OK, "success"),

    ENTRY(ERROR_ARGUMENT, "an argument is null or out of range"),
    ENTRY(ERROR_OPTIONS, "options that cannot be honoured"),
    ENTRY(ERROR_MEMORY, "out of memory"),
    ENTRY(ERROR_STATE, "the handle is not in a state that allows this call"),
    ENTRY(ERROR_THREAD, "a thread could not be started"),
    ENTRY(ERROR_ROWS, "the rows of the picture could not be had"),
    ENTRY(ERROR_CANCELLED, "the caller ended the operation"),
    ENTRY(ERROR_WRITE, "the coded bytes could not be written"),
    ENTRY(ERROR_READ, "the file could not be read"),

    ENTRY(ERROR_DEVICE_NAME, "not a device name (cpu, cuda[:N], opencl[:N] or auto)"),
    ENTRY(ERROR_DEVICE_MISSING, "the device asked for is not available"),
    ENTRY(ERROR_DEVICE_FAILED, "the device reported a failure"),
    ENTRY(ERROR_CPU_TIER, "an instruction tier that is unknown or that this processor lacks"),
    ENTRY(ERROR_DEVICE_STREAM, "the stream or queue belongs to another device or context"),
    ENTRY(ERROR_GL_CONTEXT, "the OpenGL context is not the one needed, or not usable"),
    ENTRY(ERROR_GL_DEVICE, "the OpenGL context is of another device"),
    ENTRY(ERROR_GL_OBJECT, "not an OpenGL object that can be used"),
    ENTRY(ERROR_GL_FAILED, "OpenGL reported an error"),

    ENTRY(ERROR_LIMIT_PIXELS, "the picture has more pixels than the limit allows"),
    ENTRY(ERROR_LIMIT_MEMORY, "the operation needs more memory than the limit allows"),
    ENTRY(ERROR_LIMIT_SCANS, "the stream has more scans than the limit allows"),
    ENTRY(ERROR_LIMIT_MARKERS, "the stream has more marker segments than the limit allows"),
    ENTRY(ERROR_LIMIT_METADATA, "the stream has more metadata than the limit allows"),
    ENTRY(ERROR_LIMIT_COMPONENTS, "the stream has more components than the limit allows"),
    ENTRY(ERROR_LIMIT_TILES, "the picture has more tiles than the limit allows"),
    ENTRY(ERROR_LIMIT_PRECINCTS, "the picture has more precincts, or resolutions of tiles, than the limit allows"),
    ENTRY(ERROR_LIMIT_BOXES, "the file has more boxes than the limit allows"),
    ENTRY(ERROR_LIMIT_TILE_PARTS, "the stream has more tile-parts than the limit allows"),
    ENTRY(ERROR_LIMIT_LAYERS, "the picture has more layers than the limit allows"),
    ENTRY(ERROR_LIMIT_BLOCKS, "the picture has more code-blocks than the limit allows"),
    ENTRY(ERROR_LIMIT_WORK, "the stream asks for more work than the limit allows for its length"),

    ENTRY(ERROR_IMAGE_FORMAT, "the pixel format does not fit the picture or the operation"),
    ENTRY(ERROR_IMAGE_SIZE, "the image's planes do not have the size or number that the picture needs"),
    ENTRY(ERROR_IMAGE_PITCH, "the image's rows overlap or leave the address space"),
    ENTRY(ERROR_IMAGE_MEMORY, "the image lies in memory that the device cannot reach"),
    ENTRY(ERROR_IMAGE_DEPTH, "samples of this depth or sign cannot be coded"),
    ENTRY(ERROR_REGION, "the region is empty or reaches outside the picture"),
    ENTRY(ERROR_BUFFER_FULL, "the output buffer is too small"),
    ENTRY(ERROR_IMAGE_BUFFER, "the device memory ends before the image does"),
    ENTRY(ERROR_IMAGE_SAMPLE, "the image's samples are numbers of another kind than are wanted"),
    ENTRY(ERROR_IMAGE_OVERLAP, "the images share memory"),

    ENTRY(ERROR_SIGNATURE, "not a format that can be decoded"),
    ENTRY(ERROR_TRUNCATED, "the data end before the picture starts"),
    ENTRY(ERROR_EMPTY, "there are no data"),

    ENTRY(ERROR_JPEG_SOI, "no SOI marker"),
    ENTRY(ERROR_JPEG_MARKER, "a marker that may not stand here"),
    ENTRY(ERROR_JPEG_LENGTH, "a marker segment whose length contradicts its contents"),
    ENTRY(ERROR_JPEG_NO_FRAME, "a scan or the end of the image before any frame header"),
    ENTRY(ERROR_JPEG_TWO_FRAMES, "a second frame header"),
    ENTRY(ERROR_JPEG_NO_SCAN, "no scan after the frame header"),
    ENTRY(ERROR_JPEG_DIMENSIONS, "a frame without width or height"),
    ENTRY(ERROR_JPEG_COMPONENTS, "a number of components that is not allowed, or component ids that repeat"),
    ENTRY(ERROR_JPEG_SAMPLING, "sampling factors that are not allowed"),
    ENTRY(ERROR_JPEG_SCAN_COMPONENT, "a scan of a component that the frame lacks, or of one twice"),
    ENTRY(ERROR_JPEG_PROGRESSION, "spectral selection, approximation or prediction that is not allowed"),
    ENTRY(ERROR_JPEG_QUANT_TABLE, "a quantisation table with a destination above 3"),
    ENTRY(ERROR_JPEG_QUANT_MISSING, "a component whose quantisation table was never defined"),
    ENTRY(ERROR_JPEG_HUFFMAN_TABLE, "a Huffman table that is no prefix code, or with a destination above 3"),
    ENTRY(ERROR_JPEG_HUFFMAN_MISSING, "a scan whose Huffman table was never defined"),
    ENTRY(ERROR_JPEG_RESTART_INTERVAL, "a restart interval of the wrong length"),
    ENTRY(ERROR_JPEG_TWO_SOI, "an SOI marker inside the stream"),
    ENTRY(ERROR_JPEG_PRECISION, "unsupported: samples of so many bits"),
    ENTRY(ERROR_JPEG_ARITHMETIC, "unsupported: arithmetic coding"),
    ENTRY(ERROR_JPEG_LOSSLESS, "unsupported for lossless JPEG (SOF3)"),
    ENTRY(ERROR_JPEG_HIERARCHICAL, "unsupported: hierarchical JPEG"),
    ENTRY(ERROR_JPEG_COLOUR, "a colour conversion that the picture's colour space does not allow"),
    ENTRY(ERROR_JPEG_SCAN_LENGTH, "a scan header of the wrong length"),

    ENTRY(ERROR_JPEG_TOO_LARGE, "a side is longer than 65,535 samples"),
    ENTRY(ERROR_JPEG_QUALITY, "a quality outside 1 to 100"),
    ENTRY(ERROR_JPEG_TABLE_VALUE, "a quantiser of 0, or above 255 in a baseline file"),
    ENTRY(ERROR_JPEG_SCRIPT, "a scan script that is not allowed or leaves a coefficient out"),
    ENTRY(ERROR_JPEG_COEFFICIENT, "a coefficient too large for the coding process"),
    ENTRY(ERROR_JPEG_NOT_PERFECT, "the transform cannot keep the blocks at the edge"),
    ENTRY(ERROR_JPEG_METADATA_SIZE, "metadata too long for its marker"),

    ENTRY(WARNING_JPEG_GARBAGE, "bytes that belong to no marker were skipped"),
    ENTRY(WARNING_JPEG_DATA_END, "entropy-coded data end early"),
    ENTRY(WARNING_JPEG_CODE, "a bit pattern that is no Huffman code"),
    ENTRY(WARNING_JPEG_RESTART, "a restart marker is missing, surplus or out of order"),
    ENTRY(WARNING_JPEG_NO_EOI, "the stream ends without EOI"),
    ENTRY(WARNING_JPEG_JFIF, "an unknown JFIF version"),
    ENTRY(WARNING_JPEG_ADOBE, "an unknown Adobe transform code"),
    ENTRY(WARNING_JPEG_PROGRESSION, "progressive scans in an order that is not allowed"),
    ENTRY(WARNING_JPEG_ICC, "an ICC profile whose chunks are missing or contradict each other"),
    ENTRY(WARNING_JPEG_SPECTRAL, "a sequential scan that does not say it holds coefficients 0 to 63"),
    ENTRY(WARNING_JPEG_TRUNCATED, "a damaged marker segment after the first scan: the rest is ignored"),
    ENTRY(WARNING_JPEG_INDEX, "an index of other pictures does not fit the file"),
    ENTRY(WARNING_JPEG_RECODED, "another picture in the file had to be coded anew, with loss, with the tables it had"),

    ENTRY(WARNING_J2K_BOX, "a box that is damaged or contradicts others is ignored"),
    ENTRY(WARNING_J2K_TRUNCATED, "the codestream ends early"),
    ENTRY(WARNING_J2K_NO_EOC, "the codestream ends without EOC"),
    ENTRY(WARNING_J2K_TILE_PART, "a tile-part with a wrong length or number"),
    ENTRY(WARNING_J2K_TILE_HEADER, "a tile whose header is damaged is not decoded"),
    ENTRY(WARNING_J2K_TILE_MISSING, "a tile has no data"),
    ENTRY(WARNING_J2K_PACKET, "a damaged packet: what builds on it, without SOP the rest of its tile, is lost"),
    ENTRY(WARNING_J2K_PACKET_END, "a packet is cut off"),
    ENTRY(WARNING_J2K_LEFT, "bytes of a tile-part belong to no packet"),
    ENTRY(WARNING_J2K_SOP, "a packet's SOP is out of order or its EPH missing"),
    ENTRY(WARNING_J2K_BLOCK, "a code-block with more bit planes or passes than its subband can have"),
    ENTRY(WARNING_J2K_DATA, "a code-block whose coded data are damaged"),
    ENTRY(WARNING_J2K_LENGTHS, "lengths of packets or tile-parts that are wrong are not used"),

    ENTRY(ERROR_J2K_NO_CODESTREAM, "a file without a codestream box"),
    ENTRY(ERROR_J2K_SIZ, "no SIZ marker segment behind SOC"),
    ENTRY(ERROR_J2K_MARKER, "a marker that may not stand in this header"),
    ENTRY(ERROR_J2K_LENGTH, "a marker segment of a header whose length contradicts its contents"),
    ENTRY(ERROR_J2K_DIMENSIONS, "an empty picture, or a tile grid that does not fit it"),
    ENTRY(ERROR_J2K_COMPONENTS, "a number of components that is not allowed"),
    ENTRY(ERROR_J2K_DEPTH, "samples of more than 38 bits"),
    ENTRY(ERROR_J2K_SAMPLING, "a component separation of 0"),
    ENTRY(ERROR_J2K_TILES, "more than 65,535 tiles"),
    ENTRY(ERROR_J2K_COMPONENT, "a marker segment for a component that does not exist"),
    ENTRY(ERROR_J2K_CODING, "coding parameters that are not allowed"),
    ENTRY(ERROR_J2K_QUANTISATION, "a quantisation that is not allowed or leaves subbands out"),
    ENTRY(ERROR_J2K_NO_CODING, "no COD or no QCD in the main header"),
    ENTRY(ERROR_J2K_ROI, "a region of interest that is not allowed"),
    ENTRY(ERROR_J2K_PROGRESSION, "a progression order change that is not allowed"),
    ENTRY(ERROR_J2K_PACKED_HEADERS, "packed packet headers that are missing or contradict each other"),
    ENTRY(ERROR_J2K_TRANSFORM, "a component transform of too few components or of such that differ"),
    ENTRY(ERROR_J2K_NO_TILE, "no tile-part to decode"),
    ENTRY(ERROR_J2K_REDUCE, "more resolutions are to be left out than a component has"),
    ENTRY(ERROR_J2K_HT, "unsupported: a style of high-throughput code-blocks"),
    ENTRY(ERROR_J2K_EXTENSION, "unsupported: extensions of JPEG 2000 Part 2"),
    ENTRY(ERROR_J2K_COLOUR, "a pixel format that the picture's channels do not allow"),
    ENTRY(ERROR_J2K_PROFILE, "a rule of the profile is broken"),
    ENTRY(ERROR_J2K_MULTI, "a multiple component transform that contradicts itself"),
};

static const struct status_entry *find(kst_status status)
{
    static const struct status_entry unknown = {KST_OK, "UNKNOWN", "an unknown status"};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].status == status)
            return &entries[i];
    return &unknown;
}

const char *kst_status_name(kst_status status)
{
    return find(status)->name;
}

const char *kst_status_text(kst_status status)
{
    return find(status)->text;
}

bool kst_status_is_warning(kst_status status)
{
    return (int)status >= 200 && (int)status <= 299;
}
