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

    def _decode_sync(self, chunk_bytes, chunk_spec):
        data = memoryview(chunk_bytes.as_numpy_array())
        levels = {"reduce": self.reduce, "reduce_z": self.reduce_z}
        found = kostka.describe_volume(data, **levels)
        if found["shape"] != (1, 1, 1, *chunk_spec.shape)[-3:]:
            raise ValueError(f"a codestream of {found['shape']} samples is no chunk of {chunk_spec.shape}")
        native, dtype = chunk_spec.dtype.to_native_dtype(), numpy.dtype(found["dtype"])
        if dtype.kind != native.kind or dtype.itemsize > native.itemsize:
            raise ValueError(f"a codestream of {dtype} is no chunk of {native}")
        made = chunk_spec.prototype.nd_buffer.create(shape=chunk_spec.shape, dtype=dtype)
        kostka.decode_volume(data, out=made.as_ndarray_like().reshape(found["shape"]), **levels)
        return made if dtype == native else made.astype(native)

    def _encode_sync(self, chunk_data, chunk_spec):
        if self.reduce or self.reduce_z:
            raise ValueError("an array of reduced bricks is read only: write the array of which it is a level")
        array = _three(_row_by_row(chunk_data.as_ndarray_like()))
        return chunk_spec.prototype.buffer.from_bytes(kostka.encode_volume(array, **dict(self.options)))

    async def _decode_single(self, chunk_bytes, chunk_spec):
        return await asyncio.to_thread(self._decode_sync, chunk_bytes, chunk_spec)

    async def _encode_single(self, chunk_data, chunk_spec):
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)
