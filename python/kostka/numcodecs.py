# SPDX-License-Identifier: BSD-2-Clause
"""The codec "kostka" for numcodecs, which Zarr of version 2 uses; see docs/formats/zarr.md of Kostka.

It is found by itself where numcodecs and kostka are installed.
"""

import numcodecs.abc
import numcodecs.compat
import numpy

import kostka

_OPTIONS = ("z_levels", "lossless", "rate", "ratio", "psnr", "step", "layers", "levels", "reversible", "ht", "bits")


def _check(profile, reduce, reduce_z, options):
    if profile != "3d":
        raise ValueError(f"the codec kostka has no profile {profile!r}")
    for name, value in (("reduce", reduce), ("reduce_z", reduce_z)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 32:
            raise ValueError(f"{name} of the codec kostka is a number from 0 to 32, not {value!r}")
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise ValueError(f"the codec kostka has no option {unknown[0]!r}")


def _three(array):
    """The last three dimensions of an array whose others are 1 long."""
    shape = array.shape
    if len(shape) > 3 and set(shape[:-3]) != {1}:
        raise ValueError(f"chunks of the codec kostka have three dimensions, not {shape}")
    return array.reshape((1, 1, 1, *shape)[-3:])


def _encode(array, reduce, reduce_z, options):
    if reduce or reduce_z:
        raise ValueError("an array of reduced bricks is read only: write the array of which it is a level")
    array = numpy.asarray(array)
    native = numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return kostka.encode_volume(_three(native), **options)


def _decode(data, reduce, reduce_z):
    return numpy.asarray(kostka.decode_volume(data, reduce=reduce, reduce_z=reduce_z))


class Kostka(numcodecs.abc.Codec):
    """Chunks of integers as JPEG 2000 with a wavelet along z; options as for kostka.encode_volume()."""

    codec_id = "kostka"

    def __init__(self, profile="3d", reduce=0, reduce_z=0, **options):
        _check(profile, reduce, reduce_z, options)
        self.profile, self.reduce, self.reduce_z, self.options = profile, reduce, reduce_z, options

    def encode(self, buf):
        return _encode(numcodecs.compat.ensure_ndarray(buf), self.reduce, self.reduce_z, self.options)

    def decode(self, buf, out=None):
        decoded = _decode(memoryview(numcodecs.compat.ensure_contiguous_ndarray(buf)), self.reduce, self.reduce_z)
        return decoded if out is None else numcodecs.compat.ndarray_copy(decoded, out)

    def get_config(self):
        config = {"id": self.codec_id, "profile": self.profile, **self.options}
        for name in ("reduce", "reduce_z"):
            if getattr(self, name):
                config[name] = getattr(self, name)
        return config

    def __repr__(self):
        config = self.get_config()
        del config["id"]
        return f"Kostka({', '.join(f'{name}={value!r}' for name, value in config.items())})"
