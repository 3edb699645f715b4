# SPDX-License-Identifier: BSD-2-Clause
"""Finds the pixels of Pillow's images in memory, where Pillow has them in one piece: small and middle-sized images."""

import ctypes

import PIL
from PIL import Image


class _ArrowArray(ctypes.Structure):
    """The Arrow C data interface's structure of this name, up to what is used."""


_ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowArray))),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = ctypes.py_object, ctypes.c_char_p


# Pillow exports pixels from 11.2 on, but before 13 that crashes for images whose memory is a caller's buffer.
_EXPORTS = int(PIL.__version__.split(".")[0]) >= 13


def _arrow(core, pixels, channels):
    """Return the address that Pillow exports, and what keeps it valid; None if it is not as expected."""
    capsule = core.__arrow_c_array__()
    capsule = capsule[1] if isinstance(capsule, tuple) else capsule
    array = _ArrowArray.from_address(_pointer_of(capsule, b"arrow_array"))
    if array.length != pixels or array.offset or array.n_children != (channels > 1):
        return None
    if channels > 1:
        array = array.children[0].contents
    if array.length != pixels * channels or array.offset or array.n_buffers != 2:
        return None
    return array.buffers[1], capsule


def _rows(core, rows, stride):
    """Return the address of the first row in releases before 12, if the others follow; None if they do not."""
    pointers = dict(core.unsafe_ptrs)["image"]
    addresses = list((ctypes.c_size_t * rows).from_address(pointers))
    first = addresses[0]
    return (first, core) if addresses == list(range(first, first + rows * stride, stride)) else None


def pixels(core, channels):
    """Return an image's memory as bytes, and an object that keeps it valid; None if it is not in one piece.

    core: an ImagingCore of mode L (one channel) or RGB (four, the last of which is meaningless)
    """
    width, height = core.size
    if not width or not height or Image.core.get_alignment() != 1:
        return None
    try:
        if _EXPORTS:
            found = _arrow(core, width * height, channels)
        else:
            found = _rows(core, height, width * channels)
    except (AttributeError, DeprecationWarning, KeyError, MemoryError, OSError, ValueError):  # Pillow has several for this
        return None
    if not found or not found[0]:
        return None
    address, owner = found
    return memoryview((ctypes.c_ubyte * (width * height * channels)).from_address(address)).cast("B"), owner
