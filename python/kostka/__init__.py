# SPDX-License-Identifier: BSD-2-Clause
"""Decoding, encoding and lossless transcoding of JPEG and JPEG 2000, on the CPU and on GPUs.

    import kostka, numpy
    pixels = numpy.asarray(kostka.decode("photo.jpg"))    # no copy
    kostka.save("small.jpg", pixels[::2, ::2].copy(), quality=90)

Streams are bytes, paths or file objects. Pictures come and go as arrays: through the buffer protocol on the host, through
DLPack and __cuda_array_interface__ in a GPU's memory; images of Pillow are taken, too. The functions here work in contexts
that are made once for each device; a Context of one's own has threads and limits of its own. Other Python threads run
meanwhile.

Whatever the library cannot do raises KostkaError or what is derived from it, files that cannot be opened OSError; arguments of the wrong kind raise
TypeError, ValueError or BufferError before work begins. An option that is None is as if it were not there.
"""

import os as _os
import threading as _threading

from . import _files
from ._kostka import (
    Component,
    Context,
    Device,
    DeviceError,
    Image,
    Info,
    Job,
    KostkaError,
    LimitError,
    Metadata,
    OptionError,
    Report,
    StreamError,
    __version__,
    devices,
)

__all__ = [
    "Component",
    "Context",
    "Device",
    "DeviceError",
    "Image",
    "Info",
    "Job",
    "KostkaError",
    "LimitError",
    "Metadata",
    "OptionError",
    "Report",
    "StreamError",
    "decode",
    "decode_batch",
    "devices",
    "encode",
    "encode_batch",
    "info",
    "save",
    "submit",
    "transcode",
]

_contexts = {}
_lock = _threading.Lock()


def _after_fork():
    """A child has none of its parent's threads: it makes contexts anew."""
    global _contexts, _lock
    _contexts = {}
    _lock = _threading.Lock()


_os.register_at_fork(after_in_child=_after_fork)


def _context(device):
    if isinstance(device, Context):
        return device
    with _lock:
        context = _contexts.get(device)
        if context is None or context.closed:
            context = _contexts[device] = Context(device)
        return context


def _context_for(device, array):
    """Where nothing is said, arrays on a GPU are worked on there."""
    if device is not None or array is None:
        return _context(device)
    if isinstance(array, Image):
        return array.context if array.memory in ("cuda", "opencl") else _context(None)
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return _context(f"cuda:{number}" if int(kind) in (2, 13) else None)
    return _context("cuda:0" if hasattr(array, "__cuda_array_interface__") else None)


def _first(arrays):
    try:
        return arrays[0] if arrays is not None and not isinstance(arrays, Image) and len(arrays) > 0 else None
    except (TypeError, IndexError, KeyError):
        return None


def decode(data, *, device=None, out=None, **options):
    """Decode a stream to an Image.

    data: the stream: bytes or another buffer, which must not change meanwhile; a path, as a str or os.PathLike; or an
        object whose read() gives bytes
    device: a name as Context() takes it, or a Context
    format: 'auto' (grey, RGB or CMYK), 'grey' or 'gray', 'rgb', 'bgr', 'rgba', 'bgra', 'cmyk', 'planar' (channels first),
        'raw' (components as coded: see Image.planes)
    reduce: decode at 1/2**reduce of the size: 0 to 3, of JPEG 2000 as often as it can be halved
    region: (x, y, width, height) in pixels of the reduced picture: only what it needs is decoded
    strict: raise at the first warning, instead of counting it in Image.report
    orient: turn the picture as its Exif orientation says
    alpha: what the fourth channel of 'rgba' and 'bgra' gets, 0 to 255
    layers: of JPEG 2000 no more than the first so many; 0: all
    components: of JPEG 2000 only these, by ascending index; the image is 'raw'
    tile: of JPEG 2000 this tile of the raster alone, as if it were the picture
    dtype: 'uint8' (integers as they are coded), 'float16' or 'float32': (value - mean) * scale, the same bits on every
        device
    mean, scale: numbers, or one for each channel, in units of the values (0 to 255); mean 0 and a scale that makes 1 of
        the greatest value if not said
    layout: 'HWC' or 'NHWC', channels last; 'CHW' or 'NCHW', which is the format 'planar'
    memory: 'host', 'pinned', or 'device' – the context's
    out: an array of the picture's shape to decode into, on the host or with CUDA; the Image describes it
    stream: CUDA's or OpenCL's, an integer or an object of PyTorch, CuPy or PyOpenCL: work begins after what it holds.
        The call returns when the picture is there
    """
    return _context_for(device, out).decode(data, out=out, **options)


def decode_batch(data, *, device=None, out=None, **options):
    """Decode a sequence of streams to a list of Images, together: on a GPU in few launches.

    Options are those of decode(), the same for all. out: a sequence of arrays, which an array with one more dimension is.
    errors: 'raise' for the first stream that cannot be decoded, or 'return' a KostkaError in its place. A file that
    cannot be opened raises OSError in either case. The exception's attribute `index` says which item it is about.
    """
    return _context_for(device, _first(out)).decode_batch(data, out=out, **options)


def submit(data, *, device=None, out=None, **options):
    """Begin to decode a sequence of streams, as a Job: its done() tells of the device, its wait() gives the list.

    Options are those of decode_batch(). Headers are read in the call, and what the device does not support is decoded
    in it. On a GPU all else goes on meanwhile: arrays of CUDA's in `out` hold their pictures for whatever comes into
    `stream`, or the default stream, after the call; arrays of the host's when wait() has returned.
    """
    return _context_for(device, _first(out)).submit(data, out=out, **options)


def encode(image, *, device=None, **options):
    """Encode an Image, an array or an image of Pillow's to a file as bytes.

    image: (height, width), (height, width, channels) or, with format='planar', (channels, height, width); with the buffer
        protocol, DLPack or __cuda_array_interface__. Rows may have gaps between them, samples may not. JPEG takes uint8;
        JPEG 2000 integers of 8, 16 and 32 bits, signed ones planar or as (height, width). Of an image of Pillow's the
        pixels count; what is in its info is passed as `icc` and `exif`
    codec: 'jpeg', or JPEG 2000: 'jpeg2000' or 'jp2' (a JP2 file), 'j2k' (a bare codestream)
    format: what the channels are: 'auto' takes 1, 3 and 4 for grey, RGB and RGBA; 'bgr', 'bgra', 'cmyk', 'planar'
    exif, xmp, icc, comment: contents of such segments or boxes, as bytes
    density: ('ratio', 'inch' or 'cm', x, y): pixels for a unit, or how wide and high a pixel is
    stream: CUDA's stream whose work the picture is the result of; without it the default stream

    Of JPEG:

    quality: 1 to 100; 75 if not said
    subsampling: '420' (or '4:2:0'), '422', '444', '440', '411', '410'; or a pair of factors for each component
    progressive, optimize: True for such a file; optimize makes Huffman tables for the picture
    coding: the same by a name: 'baseline', 'optimized', 'progressive'
    restart: 'auto', a number of MCUs or ('rows', number) between restart markers
    colour: as coded: 'ycbcr', 'rgb', 'grey', 'cmyk', 'ycck'; 'unknown': what suits the channels. Also color
    tables: 1 to 4 tables of 64 quantisers, row by row, instead of those that the quality scales
    wide_quantisers: allow quantisers above 255

    Of JPEG 2000, lossless if nothing else is said:

    lossless: True says so
    rate: bits of the file for a pixel, at most; ratio: bits of the samples for one of the file, at least; psnr: decibels,
        at least; step: of the quantiser. A number, or a sequence of them, one for each layer; one of the four
    layers: 1 to 1024
    levels: of decomposition, 0 to 32; 5 if not said
    reversible: the reversible transforms also where not every bit is kept
    keep_components: do not transform red, green and blue
    depth: bits of a sample that count; all of 8 and 16, must be said of 32 (17 to 31)
    tiles, codeblock: a side or (width, height); tile_origin, image_origin: (x, y) on the reference grid
    precincts: sizes from the largest resolution down
    progression: 'LRCP', 'RLCP', 'RPCL', 'PCRL', 'CPRL'
    poc: changes of it: (order, (first, end) resolutions, (first, end) components, layers), the last ones may be missing
    style: of code-blocks: 'bypass', 'reset', 'termall', 'causal', 'predictable', 'symbols', or a sequence of these
    guard_bits: 1 to 7; derived_steps: write one quantiser step for all subbands
    interest: (x, y, width, height) that is coded before all else
    sop, eph, plt, tlm: True for such markers; packed: packet headers in 'ppt' or 'ppm'
    tile_parts: what begins one: 'resolution', 'layer', 'component', or a sequence of these
    component: a dict, or a sequence of dicts, of what components have of their own: 'component', its index, and 'tile',
        'levels', 'codeblock', 'style', 'reversible', 'step', 'guard_bits'
    profile: 'profile0', 'profile1', 'cinema2k', 'cinema4k', 'broadcast:5', 'imf4k:6,3' …: sets what it wants, which other
        options change; frame_rate: for the limits of profiles
    codestream: without a JP2 file around it
    """
    return _context_for(device, image).encode(image, **options)


def encode_batch(images, *, device=None, **options):
    """Encode a sequence of images, or an array with one more dimension, to a list of bytes.

    Options are those of encode(); errors: as in decode_batch().
    """
    return _context_for(device, _first(images)).encode_batch(images, **options)


def save(file, image, *, codec=None, device=None, **options):
    """Encode an image to a file.

    file: a path, whose extension is the codec where none is said (.jpg .jpeg .jpe .jfif; .jp2; .j2k .j2c .jpc); or an
        object with write(), which gets what encode() makes. A file of this name stays as it was until all is written
    image, device, options: as encode() takes them
    """
    if _files.is_path(file):
        codec = _files.codec_for(file, codec)
    _files.write(file, encode(image, device=device, codec=codec, **options))


def transcode(data, *, device=None, **options):
    """Write a stream anew without changing a coefficient of JPEG, or the bytes of a code-block of JPEG 2000.

    data: as decode() takes it
    strip: 'nothing', 'markers' (all but comments) or 'all'
    strict: raise where the stream is damaged

    Of JPEG:

    progressive, optimize, coding, restart: as in encode(); restart 'keep' leaves markers where they were
    transform: 'none', 'flip_h', 'flip_v', 'transpose', 'transverse', 'rotate_90', 'rotate_180', 'rotate_270'
    edge: what becomes of partial blocks that cannot be turned: 'keep', 'trim', or 'perfect', which raises
    crop: (x, y, width, height) after the transform; grows to block borders above and left
    grey: keep the luminance alone. Also gray
    others: what follows the first picture in a file, other pictures and bytes that are none: 'keep', or 'drop'

    Of JPEG 2000:

    progression: as in encode(); as it is if not said
    reduce: drop so many of the largest resolutions
    layers: keep the first so many; with a rate make so many
    rate: bits of the file for a pixel, at most: what gains least goes
    components: keep only these, by ascending index
    tile_parts, packed: as in encode(); interleave: the first tile-parts of all tiles, then the second ones, and so on
    plt, tlm, sop, eph: True or False for such markers; as they are if not said
    container: 'jp2' or 'j2k'; as it is if not said
    """
    return _context(device).transcode(data, **options)


def info(data):
    """What a stream holds, as an Info, from its headers alone. data: as decode() takes it."""
    return _context("cpu").info(data)
