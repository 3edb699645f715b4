# SPDX-License-Identifier: BSD-2-Clause
"""The codec "kostka" for zarr 3; see docs/formats/zarr.md of Kostka.

zarr finds it by itself where both packages are installed. Chunks are decoded into the memory of zarr's buffers, and encoded from it:
after zarr.config.enable_gpu() that is CuPy's, and a GPU of CUDA does both. To write:

    zarr.create_array(store, shape=volume.shape, chunks=(64, 64, 64), dtype=volume.dtype,
                      serializer=kostka.zarr.Kostka(), compressors=None)
"""

import asyncio
import dataclasses

import numpy
from zarr.abc.codec import ArrayBytesCodec

import kostka

from .numcodecs import _check, _three


def _row_by_row(array):
    """The array in the machine's byte order, a copy if rows have gaps or one axis runs backwards."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.size > 0 and (array.strides[-1] != array.dtype.itemsize or min(array.strides) <= 0):
        array = array.copy(order="C")
    return array


async def _together(function, pairs):
    """Call a function in a thread with all pairs whose chunk is there; a chunk that is missing stays None."""
    pairs = list(pairs)
    there = [pair for pair in pairs if pair[0] is not None]
    found = iter(await asyncio.to_thread(function, there) if there else ())
    return [None if pair[0] is None else next(found) for pair in pairs]


@dataclasses.dataclass(frozen=True)
class Kostka(ArrayBytesCodec):
    """Chunks of integers as JPEG 2000 with a wavelet along z; options as for kostka.encode_volume()."""

    is_fixed_size = False

    profile: str = "3d"
    reduce: int = 0
    reduce_z: int = 0
    options: tuple = ()

    def __init__(self, *, profile="3d", reduce=0, reduce_z=0, **options):
        _check(profile, reduce, reduce_z, options)
        object.__setattr__(self, "profile", profile)
        object.__setattr__(self, "reduce", reduce)
        object.__setattr__(self, "reduce_z", reduce_z)
        object.__setattr__(self, "options", tuple(sorted(options.items())))

    @classmethod
    def from_dict(cls, data):
        if data.get("name") != "kostka":
            raise ValueError(f"the codec is kostka, not {data.get('name')!r}")
        return cls(**(data.get("configuration") or {}))

    def to_dict(self):
        configuration = {"profile": self.profile, **dict(self.options)}
        for name in ("reduce", "reduce_z"):
            if getattr(self, name):
                configuration[name] = getattr(self, name)
        return {"name": "kostka", "configuration": configuration}

    def validate(self, *, shape, dtype, chunk_grid):
        """Refuse types that are not integers, and not single precision, which a codec before this one may scale."""
        kind = dtype.to_native_dtype()
        if kind.kind not in "iuf" or kind.itemsize > 4:
            raise ValueError(f"the codec kostka has integers of 8, 16 and 32 bits, not {kind}")

    def compute_encoded_size(self, input_byte_length, chunk_spec):
        raise NotImplementedError

    def _place(self, data, chunk_spec, levels):
        """Make the buffer of a chunk, of the type that its codestream has, and the array in it to decode to."""
        found = kostka.describe_volume(data, **levels)
        if found["shape"] != (1, 1, 1, *chunk_spec.shape)[-3:]:
            raise ValueError(f"a codestream of {found['shape']} samples is no chunk of {chunk_spec.shape}")
        native, dtype = chunk_spec.dtype.to_native_dtype(), numpy.dtype(found["dtype"])
        if dtype.kind != native.kind or dtype.itemsize > native.itemsize:
            raise ValueError(f"a codestream of {dtype} is no chunk of {native}")
        made = chunk_spec.prototype.nd_buffer.create(shape=chunk_spec.shape, dtype=dtype)
        return made, made.as_ndarray_like().reshape(found["shape"])

    def _decode_sync(self, pairs):
        levels = {"reduce": self.reduce, "reduce_z": self.reduce_z}
        data = [memoryview(chunk.as_numpy_array()) for chunk, _ in pairs]
        places = [self._place(one, chunk_spec, levels) for one, (_, chunk_spec) in zip(data, pairs)]
        kostka.decode_volumes(data, out=[array for _, array in places], **levels)
        natives = [chunk_spec.dtype.to_native_dtype() for _, chunk_spec in pairs]
        return [made if made.dtype == native else made.astype(native) for (made, _), native in zip(places, natives)]

    def _encode_sync(self, pairs):
        if self.reduce or self.reduce_z:
            raise ValueError("an array of reduced bricks is read only: write the array of which it is a level")
        arrays = [_three(_row_by_row(chunk.as_ndarray_like())) for chunk, _ in pairs]
        coded = kostka.encode_volumes(arrays, **dict(self.options))
        return [chunk_spec.prototype.buffer.from_bytes(one) for one, (_, chunk_spec) in zip(coded, pairs)]

    async def decode(self, chunks_and_specs):
        """Decode what zarr hands over together: codec_pipeline.batch_size chunks, of which a GPU likes many."""
        return await _together(self._decode_sync, chunks_and_specs)

    async def encode(self, chunks_and_specs):
        return await _together(self._encode_sync, chunks_and_specs)

    async def _decode_single(self, chunk_bytes, chunk_spec):
        return (await self.decode([(chunk_bytes, chunk_spec)]))[0]

    async def _encode_single(self, chunk_data, chunk_spec):
        return (await self.encode([(chunk_data, chunk_spec)]))[0]
