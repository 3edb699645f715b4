# SPDX-License-Identifier: BSD-2-Clause
"""Decoding, encoding and lossless transcoding of JPEG, and decoding of JPEG 2000, on the CPU and on GPUs.

    import kostka, numpy
    pixels = numpy.asarray(kostka.decode(open("photo.jpg", "rb").read()))    # no copy
    small = kostka.encode(pixels[::2, ::2].copy(), quality=90)

Pictures come and go as arrays: through the buffer protocol on the host, through DLPack and __cuda_array_interface__ in a
GPU's memory. The functions here work in contexts that are made once for each device; a Context of one's own has threads
and limits of its own. Other Python threads run meanwhile.

Whatever the library cannot do raises KostkaError; arguments of the wrong kind raise TypeError, ValueError or BufferError
before work begins.
"""

import os as _os
import threading as _threading

from ._kostka import (
    Component,
    Context,
    Device,
    Image,
    Info,
    Job,
    KostkaError,
    Metadata,
    Report,
    __version__,
    devices,
)

__all__ = [
    "Component",
    "Context",
    "Device",
    "Image",
    "Info",
    "Job",
    "KostkaError",
    "Metadata",
    "Report",
    "decode",
    "decode_batch",
    "devices",
    "encode",
    "encode_batch",
    "info",
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
        return arrays[0] if arrays is not None and len(arrays) > 0 else None
    except TypeError:
        return None


def decode(data, *, device=None, out=None, **options):
    """Decode a stream to an Image.

    data: the stream, with the buffer protocol; must not change meanwhile
    device: a name as Context() takes it, or a Context
    format: 'auto' (grey, RGB or CMYK), 'grey', 'rgb', 'bgr', 'rgba', 'bgra', 'cmyk', 'planar' (channels first), 'raw'
        (components as coded: see Image.planes)
    reduce: decode at 1/2**reduce of the size, 0 to 3
    region: (x, y, width, height) in pixels of the reduced picture: only what it needs is decoded
    strict: raise at the first warning, instead of counting it in Image.report
    orient: turn the picture as its Exif orientation says
    alpha: what the fourth channel of 'rgba' and 'bgra' gets
    layers: of JPEG 2000 no more than the first so many; 0: all
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
    errors: 'raise' for the first stream that cannot be decoded, or 'return' a KostkaError in its place.
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
    """Encode an Image, or an array of uint8, to a JPEG file as bytes.

    image: (height, width), (height, width, channels) or, with format='planar', (channels, height, width); with the buffer
        protocol, DLPack or __cuda_array_interface__. Rows may have gaps between them, samples may not
    format: what the channels are: 'auto' takes 1, 3 and 4 for grey, RGB and RGBA; 'bgr', 'bgra', 'cmyk', 'planar'
    quality: 1 to 100
    subsampling: '420', '422', '444', '440', '411', '410'
    coding: 'baseline', 'optimized' (smaller), 'progressive'
    restart: None, 'auto', a number of MCUs or ('rows', number) between restart markers
    colour: as coded: 'ycbcr', 'rgb', 'grey', 'cmyk', 'ycck'; 'unknown': what suits the channels
    exif, xmp, icc, comment: contents of such segments, as bytes
    stream: CUDA's stream whose work the picture is the result of; without it the default stream
    """
    return _context_for(device, image).encode(image, **options)


def encode_batch(images, *, device=None, **options):
    """Encode a sequence of images, or an array with one more dimension, to a list of bytes.

    Options are those of encode(); errors: as in decode_batch().
    """
    return _context_for(device, _first(images)).encode_batch(images, **options)


def transcode(data, *, device=None, **options):
    """Write a JPEG stream anew without changing a coefficient.

    coding, restart: as in encode(); restart 'keep' leaves markers where they were
    transform: 'none', 'flip_h', 'flip_v', 'transpose', 'transverse', 'rotate_90', 'rotate_180', 'rotate_270'
    edge: what becomes of partial blocks that cannot be turned: 'keep', 'trim', or 'perfect', which raises
    crop: (x, y, width, height) after the transform; grows to block borders above and left
    strip: 'nothing', 'markers' (all but comments) or 'all'
    grey: keep the luminance alone
    strict: raise where the stream is damaged
    """
    return _context(device).transcode(data, **options)


def info(data):
    """What a stream holds, as an Info, from its headers alone."""
    return _context("cpu").info(data)
