# SPDX-License-Identifier: BSD-2-Clause
"""Volumes in HDF5 files, through h5py: datasets of filter 32033, whose chunks are codestreams of HTJ2K.

    with h5py.File("scan.h5", "w") as file:
        kostka.hdf5.write_volume(file, "entry/data", volume)
    with h5py.File("scan.h5") as file:
        part = kostka.hdf5.read_volume(file["entry/data"], region=((10, 0, 0), (5, 200, 200)))

A chunk is one slice, or a tile of one, as a bare codestream of ITU-T T.814. Chunks are written and read directly, so the
HDF5 library needs no plugin for it. Other programs read the datasets through the plugin of that filter, which the
package hdf5plugin has from 7.1 on. Its datasets are read here, too.
"""

import itertools
import math

import numpy

import kostka

FILTER = 32033
_VERSION = 1  # of the filter's parameters
_TYPES = ("int8", "uint8", "int16", "uint16")
_SPARE = 1 << 16  # bytes that a codestream may have beyond twice its samples
_OPTIONS = {"rate", "ratio", "psnr", "step", "levels", "codeblock", "depth", "passes", "reversible"}


def write_volume(group, name, volume, *, tile=None, device=None, **options):
    """Write a volume as a new dataset of filter 32033, slice by slice, and return the dataset.

    group: a file or group of h5py that can be written
    name: of the dataset, which must not be there yet
    volume: (depth, height, width) integers of 8 or 16 bits: an array, or what gives one for `volume[z]`, with `shape` and
        `dtype`, such as numpy.memmap or a dataset; memory holds one slice of it
    tile: None, a chunk is a slice; or the (height, width) of chunks
    device: as for kostka.encode()
    options: rate, ratio, psnr, step, levels, codeblock, depth, passes and reversible, as for kostka.encode(); each chunk
        is coded to a target by itself. Default: lossless.

    Raises ValueError if the dataset is there already or the volume cannot be coded, TypeError for other options, and
    KostkaError as kostka.encode() does. A dataset that could not be finished is removed again.
    """
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"write_volume() has no option {unknown[0]!r}")
    shape, kind = tuple(volume.shape), numpy.dtype(volume.dtype)
    if len(shape) != 3 or 0 in shape or kind.newbyteorder("=").name not in _TYPES:
        raise ValueError(f"filter 32033 has volumes (z, y, x) of {', '.join(_TYPES)}, not {kind} of shape {shape}")
    chunk = (1, *_tile(tile, shape))
    dataset = _create(group, name, shape, kind.newbyteorder("="), chunk)
    try:
        for z in range(shape[0]):
            samples = numpy.ascontiguousarray(volume[z], dtype=dataset.dtype)
            for y, x in itertools.product(range(0, shape[1], chunk[1]), range(0, shape[2], chunk[2])):
                part = _whole(samples[y : y + chunk[1], x : x + chunk[2]], chunk[1:])
                coded = kostka.encode(part, codec="jpeg2000", codestream=True, style="ht", device=device, **options)
                dataset.id.write_direct_chunk((z, y, x), coded)
    except BaseException:
        del group[name]
        raise
    return dataset


def read_volume(dataset, *, region=None, device=None, max_memory=4 << 30):
    """Read a dataset of filter 32033, or a region of it, as an array of NumPy.

    dataset: of h5py, with three dimensions; a chunk is a slice or a tile of one
    region: None, or ((z, y, x), (depth, height, width))
    device: as for kostka.decode()
    max_memory: bytes that the array, or a chunk, may have; a file of a few bytes can claim any size

    Only the chunks that the region touches are read. Chunks that are missing have the dataset's fill value. Raises
    ValueError if the dataset is not of this kind, the region is too large, or a chunk's codestream is none of it, with the
    place of the chunk; and KostkaError as kostka.decode_volume() does.
    """
    chunk = _check_dataset(dataset)
    first, size = _check_region(region, dataset.shape)
    native = dataset.dtype.newbyteorder("=")
    needed = native.itemsize * max(math.prod(map(int, size)), math.prod(chunk))
    if needed > max_memory:
        raise ValueError(f"this takes {needed} bytes, max_memory is {max_memory}: read a region, or allow more")
    volume = numpy.empty(size, native)
    spans = [range(at // side * side, at + long, side) for at, long, side in zip(first, size, chunk)]
    for place in itertools.product(*spans):
        low = [max(at, begin) for at, begin in zip(place, first)]
        high = [min(at + side, begin + long) for at, side, begin, long in zip(place, chunk, first, size)]
        target = tuple(slice(a - begin, b - begin) for a, b, begin in zip(low, high, first))
        source = tuple(slice(a - at, b - at) for a, b, at in zip(low, high, place))
        volume[target] = _read_chunk(dataset, place, chunk, native, device)[source]
    return volume


def _tile(tile, shape):
    if tile is None:
        return shape[1:]
    if len(tile) != 2 or any(not isinstance(side, int) or side < 1 for side in tile):
        raise ValueError(f"tile is (height, width), not {tile!r}")
    return tuple(min(side, most) for side, most in zip(tile, shape[1:]))


def _create(group, name, shape, kind, chunk):
    """Make a dataset whose filter the HDF5 library need not have: it is optional until a plugin reads a chunk."""
    order = 0x100 if kind.itemsize > 1 and kind.newbyteorder("=").str[0] == ">" else 0
    described = order | (0x80 if kind.kind == "i" else 0) | kind.itemsize
    return group.create_dataset(
        name, shape, kind, chunks=chunk, compression=FILTER, allow_unknown_filter=True,
        compression_opts=(_VERSION, described, chunk[2], chunk[1], 1),
    )


def _whole(part, chunk):
    """Repeat the last row and column up to the size of a chunk, which HDF5 demands of all of them."""
    missing = [(0, side - have) for side, have in zip(chunk, part.shape)]
    return numpy.ascontiguousarray(numpy.pad(part, missing, "edge"))


def _check_dataset(dataset):
    """Return the shape of the chunks of a dataset."""
    filters = dataset.id.get_create_plist()
    found = [filters.get_filter(i)[0] for i in range(filters.get_nfilters())]
    if found != [FILTER]:
        raise ValueError(f"{dataset.name} has the filters {found}, not 32033 alone")
    if len(dataset.shape) != 3 or dataset.dtype.newbyteorder("=").name not in _TYPES:
        raise ValueError(f"{dataset.name} is {dataset.dtype} of shape {dataset.shape}, not a volume of 8 or 16 bits")
    if dataset.chunks[0] != 1:
        raise ValueError(f"{dataset.name} has chunks {dataset.chunks}, not slices or tiles of them")
    return dataset.chunks


def _check_region(region, shape):
    """Return where the region begins, and its size."""
    if region is None:
        return (0, 0, 0), shape
    first, size = region
    for at, long, side in zip(first, size, shape, strict=True):
        if at < 0 or long < 1 or at + long > side:
            raise ValueError(f"the region {region!r} is not within {shape}")
    return tuple(first), tuple(size)


def _read_chunk(dataset, place, chunk, native, device):
    """Decode the chunk at a place, which is a multiple of the chunk's sides."""
    info = dataset.id.get_chunk_info_by_coord(place)
    if info.byte_offset is None:
        return numpy.broadcast_to(dataset.fillvalue, chunk)
    where = f"the chunk at z {place[0]}, y {place[1]}, x {place[2]} of {dataset.name}"
    length = math.prod(chunk) * native.itemsize
    if info.size > 2 * length + _SPARE:  # which would be allocated before it is read
        raise ValueError(f"{where} has {info.size} bytes for samples of {length}")
    coded = dataset.id.read_direct_chunk(place)[1]
    if info.filter_mask:  # the filter was left out when it was written
        if len(coded) != length:
            raise ValueError(f"{where} has {len(coded)} bytes without a filter")
        return numpy.frombuffer(coded, dataset.dtype).reshape(chunk)
    try:
        described = kostka.info(coded)
        if (len(described.components), described.height, described.width) != chunk:  # before memory is taken for it
            raise ValueError(f"{where} is a codestream of {described.height}×{described.width} samples")
        samples = numpy.asarray(kostka.decode_volume(coded, device=device))
    except kostka.KostkaError as error:
        error.add_note(where)
        raise
    if samples.shape != chunk or samples.dtype.kind != native.kind or samples.itemsize > native.itemsize:
        raise ValueError(f"{where} is a codestream of {samples.dtype} of shape {samples.shape}")
    return samples
