# SPDX-License-Identifier: BSD-2-Clause
"""Decoding, encoding and lossless transcoding of JPEG and JPEG 2000, on the CPU and on GPUs.

    import kostka, numpy
    pixels = numpy.asarray(kostka.decode("photo.jpg"))    # no copy
    kostka.save("small.jpg", pixels[::2, ::2].copy(), quality=90)

Streams are bytes, paths or file objects. Pictures are passed as arrays: through the buffer protocol on the host, through
DLPack and __cuda_array_interface__ in a GPU's memory; images of Pillow are accepted, too. The functions here work in
contexts that are made once for each device; a Context that you make has its own threads and limits. Other Python threads
run meanwhile.

Whatever the library cannot do raises KostkaError or a class derived from it; files that cannot be opened raise OSError;
arguments of the wrong kind raise TypeError, ValueError or BufferError before work begins. An option that is None counts
as not passed.
"""

import os as _os
import threading as _threading

from . import _files, _tar
from ._coder import Coder
from ._flow import Flow
from ._items import ArchiveError
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
    Tensor,
    Volume,
    __version__,
    devices,
)
from ._kostka import flow as _flow_of
from ._loader import Batch, Loader
from ._tar import Group, tar_groups


__all__ = [
    "ArchiveError",
    "Batch",
    "Coder",
    "Component",
    "Context",
    "Device",
    "DeviceError",
    "Flow",
    "Group",
    "Image",
    "Info",
    "Job",
    "KostkaError",
    "LimitError",
    "Loader",
    "Metadata",
    "OptionError",
    "Report",
    "StreamError",
    "Tensor",
    "Volume",
    "decode",
    "decode_batch",
    "decode_resized",
    "decode_volume",
    "decode_volumes",
    "describe_volume",
    "devices",
    "encode",
    "encode_batch",
    "encode_volume",
    "encode_volumes",
    "filter",
    "flow",
    "flow_tar",
    "histogram",
    "info",
    "resize",
    "save",
    "stereo",
    "sweep",
    "submit",
    "tar_groups",
    "transcode",
    "transcode_batch",
]

_contexts = {}
_lock = _threading.Lock()


def _after_fork():
    """Forget all contexts: a child process has none of its parent's threads, so it must make new ones."""
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
    """Choose the context. Unless a device is given, arrays on a GPU are processed there."""
    if device is not None or array is None:
        return _context(device)
    if isinstance(array, (Image, Volume)):
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

    data: the stream: bytes or another buffer, which must not change during the call; a path, as a str or os.PathLike; or
        an object whose read() gives bytes
    device: a name as Context() takes it, or a Context
    format: 'auto' (grey, RGB or CMYK), 'grey' or 'gray', 'rgb', 'bgr', 'rgba', 'bgra', 'cmyk', 'planar' (channels first),
        'raw' (components as coded: see Image.planes)
    reduce: decode at 1/2**reduce of the size: 0 to 3, for JPEG 2000 up to its number of levels
    eighths: JPEG: decode at eighths/8 of the size, 1 to 16, instead of reduce
    dct: JPEG: 'accurate' or 'fast', as libjpeg's islow and ifast
    upsampling: JPEG: 'fancy', or 'nearest', which repeats the samples of subsampled components
    region: (x, y, width, height) in pixels of the reduced picture: only what it needs is decoded
    strict: raise at the first warning, instead of counting it in Image.report
    orient: turn the picture as its Exif orientation says
    alpha: the fourth channel of 'rgba' and 'bgra' if the picture has none, 0 to 255
    layers: JPEG 2000: decode at most this many layers, the first ones; 0: all
    components: JPEG 2000: decode only these, in ascending order of index; the image is 'raw'
    tile: JPEG 2000: decode only this tile, numbered in raster order, as if it were the picture
    dtype: 'uint8' (integers as they are coded), 'float16' or 'float32': (value - mean) * scale, the same bits on every
        device
    mean, scale: numbers, or one for each channel, in units of the values (0 to 255); the defaults are a mean of 0 and a
        scale that makes the greatest value 1
    layout: 'HWC' or 'NHWC', channels last; 'CHW' or 'NCHW', which is the format 'planar'
    memory: 'host', 'pinned', or 'device', which is that of the context
    out: an array of the picture's shape to decode into, on the host or with CUDA; the Image describes it
    stream: a stream of CUDA or OpenCL, as an integer or an object of PyTorch, CuPy or PyOpenCL: work begins after what it
        holds. The call returns when the picture is decoded
    """
    return _context_for(device, out).decode(data, out=out, **options)


def decode_batch(data, *, device=None, out=None, **options):
    """Decode a sequence of streams to a list of Images, together: on a GPU in few launches.

    Options are those of decode(), the same for all. out: a sequence of arrays; an array with one more dimension is one.
    errors: 'raise' for the first stream that cannot be decoded, or 'return' a KostkaError in its place. A file that
    cannot be opened raises OSError in either case. The exception's attribute `index` says which item it is about.
    """
    return _context_for(device, _first(out)).decode_batch(data, out=out, **options)


def decode_resized(data, size, *, device=None, out=None, **options):
    """Decode a sequence of streams to pictures of one size, together, as a Tensor: what models take.

    Of a picture only what its box needs is decoded. With 'uint8' the samples are those of Pillow's Image.resize(size,
    filter, box) of the decoded picture, byte for byte; they are the same on every device.

    data: streams as decode() takes them
    size: (width, height), or a number for a square
    boxes: for each stream (left, top, right, bottom), the part to resize in pixels with fractions, or None for all of it
    mirror: True, or a truth for each stream: exchange left and right in the result
    fit: 'exact', or 'cover': a centred part of the box with the aspect ratio of the size
    filter, order: as for resize()
    draft: decode JPEG at 1/2, 1/4 or 1/8 of the size, and JPEG 2000 at a lower resolution, as long as the box has as many
        pixels as the result; faster, and nearly the same picture. Boxes are those of the whole picture
    format: 'rgb', 'bgr', 'grey' or 'gray', 'rgba', 'bgra'
    layout: 'NCHW' or 'NHWC'
    dtype, mean, scale: as for decode()
    reduce, strict, orient, alpha: as for decode(); boxes are in pixels of the reduced picture, after it is turned
    memory: 'host', 'pinned', or 'device', which is that of the context
    out: an array of four dimensions to decode into, on the host or with CUDA; the Tensor describes it
    stream: as for decode()
    errors: 'raise' for the first stream that cannot be decoded, or 'return' a KostkaError for each of them in
        Tensor.errors; on the host their pictures are zero. A file that cannot be opened raises OSError in either case.
        The exception's attribute `index` says which stream it is about
    """
    return _context_for(device, out).decode_resized(data, size=size, out=out, **options)


def submit(data, *, device=None, out=None, **options):
    """Begin to decode a sequence of streams, and return a Job.

    Its done() says whether the device has finished, its wait() returns the list. Options are those of decode_batch(). The
    call reads headers, and decodes what the device does not support. On a GPU everything else goes on in the background:
    arrays on CUDA in `out` hold their pictures for whatever is put into `stream`, or the default stream, after the call;
    arrays on the host do when wait() has returned.
    """
    return _context_for(device, _first(out)).submit(data, out=out, **options)


def filter(image, chain, *, device=None, out=None, **options):  # as the field says, though a builtin has the name
    """Apply a chain of filters to an Image, an array or an image of Pillow's; return an Image in memory of the same kind.

    An array in a GPU's memory is filtered there. The samples are the same on every device.

    image: as for encode(): grey or RGB(A), uint8 or uint16
    chain: filters from left to right, 'gaussian=2,canny=50:150'; `kostka help filter` and docs/filters.md list them
    format: what the channels are, as for encode()
    out: an array of the result's shape to write to, on the host or with CUDA; the Image describes it
    stream: a stream of CUDA or OpenCL, as an integer or an object of PyTorch, CuPy or PyOpenCL: work begins after what it
        holds, and the call does not wait for the work. The image, and the result, are then in the device's memory, and
        what is put into the stream after the call finds the result. A chain with 'resize' waits nevertheless
    """
    return _context_for(device, image).filter(image, chain=chain, out=out, **options)


def histogram(image, *, device=None, **options):
    """Count how often each sample occurs: a dict of a list for each channel, 'grey' or 'red', 'green', 'blue' and 'alpha'.

    image, format: as for filter(). What lies in a GPU's memory is counted there
    """
    return _context_for(device, image).histogram(image, **options)


def stereo(left, right, *, device=None, **options):
    """Find the disparities of two rectified images: return two Images, the disparities and how sure they are.

    Disparities are uint16, in 1/256 pixels, by which what `left` shows lies further left in `right`; 0 is unknown. How
    sure they are is uint8. Both are in memory of the same kind as `left`, and the same on every device.

    left, right, format: as for filter(), of one size and depth
    disparities: how many are tried, 2-256 (128), from `least` (0) on
    paths: 4 or 8 (8), along which costs are added up
    p1, p2: penalties of disparities that differ by 1, and by more, from a neighbour's (8, 48)
    uniqueness: per cent by which other matches must cost more (5)
    tolerance: pixels by which the match from right to left may differ (1); -1: it may be any
    """
    return _context_for(device, left).stereo(left, right=right, **options)


def sweep(views, cameras, nearest, farthest, *, device=None, **options):
    """Find the depths of one of 2-32 calibrated views: return two Images, the depths and how sure they are.

    Depths are uint16, in units; 0 is unknown. How sure they are is uint8. Both are in memory of the same kind as the
    reference, and the same on every device.

    views, format: as for filter(), of any sizes and depths
    cameras: for each view (k, r, t), 9, 9 and 3 numbers, in nested sequences or not: a point X is seen at the pixel
        (u / w, v / w) with (u, v, w) = k (r X + t)
    nearest, farthest: the depths between which to look, in units of t
    unit: the depth that a sample of 1 stands for (farthest / 65535)
    reference: the index of the view that gets depths (0)
    planes: how many depths are tried, 2-256 (64)
    radius: of windows, 1-4 (2)
    measure: 'ncc' or 'sad'
    similar: how similar a view must be to agree, 1-255 (100)
    agreeing: how many views must agree (2)
    """
    context = _context_for(device, next(iter(views), None))
    return context.sweep(views, cameras=cameras, nearest=nearest, farthest=farthest, **options)


def flow(sources, *, decode=None, resize=None, filters=None, encode=None, **options):
    """Decode many streams, or convert them to new ones, on several devices at once; return a Flow of the results.

    Threads of the library read files ahead, keep the devices busy and bound the memory of what waits, while the caller
    works on the results. With `encode` the results are bytes, otherwise Images.

    sources: an iterable of paths and of bytes or other buffers. Threads of the library advance it
    decode: a dict of options as for decode(), without out and stream
    resize: (width, height), or a dict of options as for resize() with its 'size': on the device that decodes
    filters: a chain as filter() takes it, which is applied behind resizing, where the pixels are
    encode: a dict of options as for encode(), without stream, format and depth; {} for a JPEG of quality 75
    devices: 'cuda:0,cuda:1,cpu'; 'all': the GPUs of the best driver and the CPU; 'auto', which is the default: the GPUs, or
        the CPU if there is none
    threads: of the CPU; readers: threads that read files (4); batch: the most pictures that a GPU takes at once (256)
    memory: the most bytes of streams that are read ahead and of results that wait (2**30)
    in_order: False gives pairs (index, result) as they come
    keep: with `encode`: metadata and resolution of the streams go to the new ones
    errors: 'raise' for the first stream that fails, after which iterating goes on with the next one; or 'return' a
        KostkaError in its place. A file that cannot be read has the status 'ERROR_READ'
    """
    return Flow(_flow_of(sources, decode=decode, resize=resize, filters=filters, encode=encode, **options))


def flow_tar(archives, *, pictures=("jpg", "jpeg", "jp2", "j2k"), shard=None, limit=2**30, **options):
    """Decode or convert the pictures of groups in tar archives; yield pairs of a Group and its result, in their order.

    archives, shard, limit: as for tar_groups()
    pictures: the extensions of pictures; of a group that has several the first one in this list is taken, and groups
        without any are left out
    options: those of flow() but in_order. With errors='return' a picture that fails has a KostkaError as its result, and
        an archive that cannot be read on a Group without a key and the exception; otherwise the first failure ends the
        iteration
    """
    return _tar.flow_tar(flow, archives, pictures=pictures, shard=shard, limit=limit, **options)


def encode(image, *, device=None, **options):
    """Encode an Image, an array or an image of Pillow's to a file as bytes.

    image: (height, width), (height, width, channels) or, with format='planar', (channels, height, width); with the buffer
        protocol, DLPack or __cuda_array_interface__. Rows may have gaps between them, samples may not. JPEG takes uint8;
        JPEG 2000 integers of 8, 16 and 32 bits, signed ones planar or as (height, width). From an image of Pillow's only
        the pixels are taken; pass what is in its info as `icc` and `exif`
    codec: 'jpeg', or JPEG 2000: 'jpeg2000' or 'jp2' (a JP2 file), 'j2k' (a bare codestream); or
        HTJ2K: 'jph' (a JPH file), 'jhc' (a bare codestream)
    format: what the channels are: 'auto' takes 1, 3 and 4 for grey, RGB and RGBA; 'bgr', 'bgra', 'cmyk', 'planar'
    exif, xmp, icc, comment: contents of such segments or boxes, as bytes
    density: ('ratio', 'inch' or 'cm', x, y): pixels for a unit, or the width and height of a pixel
    stream: the CUDA stream whose work produces the picture; the default stream if not passed

    For JPEG:

    quality: 1 to 100; the default is 75
    subsampling: '420' (or '4:2:0'), '422', '444', '440', '411', '410'; or a pair of factors for each component
    progressive, optimize: True for such a file; optimize makes Huffman tables for the picture
    coding: the same by a name: 'baseline', 'optimized', 'progressive'
    restart: 'auto', a number of MCUs or ('rows', number) between restart markers
    dct: 'accurate' or 'fast', as libjpeg's islow and ifast
    colour: the coded colour space: 'ycbcr', 'rgb', 'grey', 'cmyk', 'ycck'; 'unknown': one that suits the channels. Also
        color
    tables: 1 to 4 tables of 64 quantisers, row by row, which replace those that the quality scales
    wide_quantisers: allow quantisers above 255

    For JPEG 2000, which is lossless by default:

    lossless: True demands that
    rate: the most bits of the file for each pixel; ratio: the least bits of the samples for each bit of the file; psnr:
        the least decibels; step: the quantiser's step. Pass only one of the four: a number, or a sequence of numbers,
        one for each layer
    quality: 1 to 100, instead of these: the steps that encoders of HTJ2K use for it
    weights: 'vision' counts errors less where they are hard to see
    layers: 1 to 1024
    levels: decomposition levels, 0 to 32; the default is 5
    reversible: use the reversible transforms even if coding is not lossless
    keep_components: do not transform red, green and blue
    depth: significant bits of a sample; by default all 8 or 16; required for 32-bit samples (17 to 31)
    tiles, codeblock: a side or (width, height); tile_origin, image_origin: (x, y) on the reference grid
    precincts: sizes from the largest resolution down
    progression: 'LRCP', 'RLCP', 'RPCL', 'PCRL', 'CPRL'
    poc: changes of progression: (order, (first, end) resolutions, (first, end) components, layers); the last items may be
        missing
    style: of code-blocks: 'bypass', 'reset', 'termall', 'causal', 'predictable', 'symbols', 'ht' (HTJ2K, with 'causal' at
        most), or a sequence of these
    passes: of HTJ2K, the most coding passes of a code-block, 1 to 3; 1 is what every decoder reads
    code_points: of HTJ2K in a file, how colours are named: (primaries, transfer, matrix) of H.273, perhaps with whether the
        range is full; samples are not converted
    guard_bits: 1 to 7; derived_steps: write one quantiser step for all subbands
    interest: (x, y, width, height), a region that is coded before all else
    sop, eph, plt, tlm: True writes such markers; packed: put packet headers into 'ppt' or 'ppm'
    tile_parts: what begins a tile-part: 'resolution', 'layer', 'component', or a sequence of these
    component: a dict, or a sequence of dicts, with options of single components: 'component', its index, and 'tile',
        'levels', 'codeblock', 'style', 'reversible', 'step', 'guard_bits'
    profile: 'profile0', 'profile1', 'cinema2k', 'cinema4k', 'broadcast:5', 'imf4k:6,3' …: sets what the profile demands;
        other options can change what it leaves open; frame_rate: for the limits of profiles
    codestream: write no JP2 file around the codestream
    """
    return _context_for(device, image).encode(image, **options)


def encode_batch(images, *, device=None, **options):
    """Encode a sequence of images, or an array with one more dimension, to a list of bytes.

    Options are those of encode(); errors: as in decode_batch().
    """
    return _context_for(device, _first(images)).encode_batch(images, **options)


def save(file, image, *, codec=None, device=None, **options):
    """Encode an image to a file.

    file: a path, whose extension chooses the codec unless one is passed (.jpg .jpeg .jpe .jfif; .jp2; .j2k .j2c .jpc; .jph; .jhc); or
        an object with write(), which gets the result of encode(). An existing file does not change until the new one is
        complete
    image, device, options: as for encode()
    """
    if _files.is_path(file):
        codec = _files.codec_for(file, codec)
    _files.write(file, encode(image, device=device, codec=codec, **options))


def resize(image, size, *, device=None, **options):
    """Make an Image of another size where it lies: on the host, or in the memory of the device, which then does the work.

    image: an Image, an array of uint8 or uint16, or an image of Pillow's, as encode() takes them
    size: (width, height); of one that is 0 the aspect ratio follows. A number is a square
    filter: 'bicubic', 'box', 'bilinear', 'hamming', 'lanczos'
    box: (left, top, right, bottom), the part to resize, in pixels with fractions
    fit: 'exact', 'inside' (the largest size inside it that keeps the aspect ratio) or 'cover' (a centred part of that
        aspect ratio)
    mirror: exchange left and right in the result
    order: of the two passes, in between which samples are rounded: 'auto', as Pillow 13, or 'horizontal' first, as Pillow
        up to 12
    format: what the channels of an array are: 'auto', 'bgr', 'bgra', 'cmyk', 'planar' (channels first)

    With uint8 the samples are those of Pillow's Image.resize(size, filter, box), byte for byte.
    """
    return _context_for(device, image).resize(image, size=size, **options)


def encode_volume(volume, *, device=None, **options):
    """Encode an array of three dimensions (z, y, x) as one JPEG 2000 codestream with a wavelet along z; return bytes.

    volume: a Volume, or an array with the buffer protocol, __cuda_array_interface__ or DLPack, on the host or with CUDA: integers
        of 8, 16 or 32 bits, or single precision, of which the samples of a row are adjacent. What lies on a GPU is encoded there
        unless `device` says otherwise, and its samples do not cross the bus
    bits: the significant ones of a sample, at most 28; by default those of its type. Single precision is coded as integers of
        so many bits with a sign, and needs them
    z_levels: of the wavelet along z, 0-32; by default 2, with loss 3, and fewer for few slices
    lossless: True, the default without a target; or a target of the whole volume, one of ratio, rate (bits for each
        sample), psnr and step
    levels: across slices; by default 2 to 5, so many that no side of the lowest band is longer than 32 samples
    layers, reversible, codeblock: as in encode()
    ht: code-blocks of HTJ2K
    scale, offset: of single precision, whose samples become integer * scale + offset; by default 1 and 0
    error: without loss, the most by which a sample of single precision may differ from that. An exception names one that does
        not fit, as one that is not finite
    """
    return _context_for(device, volume).encode_volume(volume, **options)


def encode_volumes(volumes, *, device=None, **options):
    """Encode many arrays, such as the bricks of a larger one, as encode_volume() does each; return a list of bytes.

    They go through the same few launches of a GPU. Options are those of encode_volume(), for all of them.
    """
    return _context_for(device, _first(volumes)).encode_volumes(volumes, **options)


def decode_volume(data, *, device=None, out=None, **options):
    """Decode a volume, or any codestream whose components are slices of one size.

    data: as for decode()
    reduce, reduce_z: leave out so many levels across slices and along z
    region: ((z, y, x), (depth, height, width)) of the reduced volume
    layers: decode at most this many; 0, the default, means all
    strict: raise if the stream is damaged
    memory: 'host', 'pinned' or 'device': of the GPU that `device` names
    out: an array to write to, of the volume's shape and type: a Volume, or one as encode_volume() takes it, on the host or
        with CUDA, which may be a part of a larger array

    Returns `out`; or a Volume in pinned memory or a device's; or on the host a memoryview of three dimensions. Of all of them
    numpy.asarray(), cupy.asarray() or torch.from_dlpack() make an array without a copy.
    """
    return _context_for(device, out).decode_volume(data, out=out, **options)


def decode_volumes(data, *, device=None, out=None, **options):
    """Decode a sequence of volumes, such as the bricks of a larger array, as decode_volume() does each; return a list.

    They go through the same few launches of a GPU, and on the CPU each thread decodes one. Options are those of
    decode_volume(), for all of them, but `out` is a sequence of arrays, such as the bricks' parts of the larger one, which do
    not overlap. An exception's attribute `index` says which item it is about; then the arrays of others may be written.
    """
    return _context_for(device, _first(out)).decode_volumes(data, out=out, **options)


def describe_volume(data, *, device=None, **options):
    """Say what decode_volume() would make, from the headers: a dict of shape, dtype and depth, the bits that count.

    data, reduce, reduce_z, region: as for decode_volume()
    """
    return _context(device).describe_volume(data, **options)


def transcode(data, *, device=None, **options):
    """Rewrite a stream without changing a coefficient of JPEG or JPEG 2000.

    data: as for decode()
    strip: 'nothing', 'markers' (all but comments) or 'all'
    strict: raise if the stream is damaged

    For JPEG:

    progressive, optimize, coding, restart: as in encode(); restart 'keep' leaves markers where they were
    transform: 'none', 'flip_h', 'flip_v', 'transpose', 'transverse', 'rotate_90', 'rotate_180', 'rotate_270'
    edge: what happens to partial blocks that cannot be turned: 'keep', 'trim', or 'perfect', which raises
    crop: (x, y, width, height) after the transform; grows to block borders above and to the left
    grey: keep only the luminance. Also gray
    others: other pictures and other bytes that follow the first picture in a file: 'keep', or 'drop'

    For JPEG 2000:

    progression: as in encode(); unchanged by default
    reduce: drop this many of the largest resolutions
    layers: keep this many layers, the first ones; with a rate make this many
    rate: the most bits of the file for each pixel: the passes that gain least are dropped
    components: keep only these, in ascending order of index
    tile_parts, packed: as in encode(); interleave: write the first tile-parts of all tiles, then the second ones, and so
        on
    plt, tlm, sop, eph: True writes such markers, False removes them; unchanged by default
    container: 'jp2' (for HTJ2K this is JPH) or 'j2k'; unchanged by default
    ht: True makes code-blocks those of HTJ2K, False those of Part 1, with the same coefficients; by default they stay byte
        for byte
    """
    return _context(device).transcode(data, **options)


def transcode_batch(data, *, device=None, **options):
    """Rewrite a sequence of streams to a list of bytes, as transcode() does with each; on a GPU in few launches.

    Options are those of transcode(), the same for all; errors: as in decode_batch().
    """
    return _context(device).transcode_batch(data, **options)


def info(data):
    """Return an Info of what a stream holds, from its headers alone. data: as for decode()."""
    return _context("cpu").info(data)
