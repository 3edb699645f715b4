# SPDX-License-Identifier: BSD-2-Clause
"""Pillow's decoder and encoder "jpeg2k" (JPEG 2000 and HTJ2K) by Kostka, which leave to Pillow what they do not take over."""

import io
import threading

from PIL import Image, ImageFile, Jpeg2KImagePlugin

from . import KostkaError, decode, encode, info
from ._pillow_coder import Coder

# For a mode its components, their bits, what info() says of colours, Kostka's format and Pillow's raw mode for it.
_WHOLE = {
    "L": (1, 8, "grey", False, "grey", "L"),
    "I;16": (1, 16, "grey", False, "grey", "I;16"),
    "RGB": (3, 8, "rgb", False, "rgba", "RGBX"),
    "RGBA": (4, 8, "rgb", True, "rgba", "RGBA"),
}
_PLANES = {"RGB": (3, 8), "RGBA": (4, 8)}  # with what says nothing of colours: components in their order


def _split(data):
    """Return what stands in front of the codestream, and the codestream; None if it is not found."""
    at = 0
    while data[:4] == b"\0\0\0\x0c" and at + 8 <= len(data):
        length, header = int.from_bytes(data[at : at + 4], "big"), 8
        if length == 1:
            length, header = int.from_bytes(data[at + 8 : at + 16], "big"), 16
        if data[at + 4 : at + 8] == b"jp2c":
            return data[:at], data[at + header :]
        if length < header:
            return None
        at += length
    return (b"", data) if data[:2] == b"\xff\x4f" else None


def _plan(data, mode):
    """Return Kostka's format and Pillow's raw modes for the planes that it gives; None for what is Pillow's work."""
    parts = _split(data)
    if not parts or b"pclr" in parts[0]:
        return None
    described = info(data)
    count = int.from_bytes(parts[1][40:42], "big")  # Csiz, behind which Ssiz, XRsiz and YRsiz are (T.800 A.5.1)
    depths = {(part.depth, part.h, part.v) for part in described.components}
    if len(depths) != 1 or any(parts[1][42 + 3 * i] & 0x80 for i in range(min(count, 4))):  # several kinds, or signed
        return None
    (kind,) = depths
    seen = (count, kind[0], described.colour, described.jpeg2000["alpha"])
    if kind[1:] == (1, 1) and mode in _WHOLE and _WHOLE[mode][:4] == seen:
        return _WHOLE[mode][4], [_WHOLE[mode][5]]
    said = described.colour not in ("unknown", "rgb") or described.jpeg2000["alpha"] or b"cdef" in parts[0]
    if kind[1:] == (1, 1) and _PLANES.get(mode) == seen[:2] and not said:
        return "raw", list(mode)
    return None


class Decoder(Coder, ImageFile.PyDecoder):
    """Pillow makes one for each picture that it loads; args are those of its own decoder of the same name."""

    _pulls_fd = True

    def own(self):
        return Image.core.jpeg2k_decoder(self.mode, *self.args)

    def decode(self, buffer):
        data = self.fd.read()
        _, reduce, layers = (*self.args, 0, 0)[:3]
        options = {"reduce": reduce, "layers": layers or None}
        try:
            plan = _plan(data, self.mode)
        except KostkaError:  # Pillow says what is wrong
            plan = None
        if plan and self.mode != "I;16" and self.decode_into(data, plan[0], **options):
            return -1, 0
        parts = plan and self._parts(data, plan, options)
        if not parts:
            return self._decode_otherwise(data)
        for pixels, rawmode in parts:
            self.set_as_raw(pixels, rawmode)
        return -1, 0

    def _parts(self, data, plan, options):
        """Return the bytes of planes with their raw modes; None if Pillow's own decoder is to do it."""
        try:
            image = decode(data, format=plan[0], strict=True, **options)
        except (KostkaError, ValueError):  # Pillow says what is wrong
            return None
        if (image.width, image.height) != (self.state.xsize, self.state.ysize) or image.report.warnings:
            return None
        planes = image.planes if plan[0] == "raw" else [image]
        return [(memoryview(plane).tobytes(), rawmode) for plane, rawmode in zip(planes, plan[1], strict=True)]

    def _decode_otherwise(self, data):
        decoder = self.prepared()
        decoder.setfd(io.BytesIO(data))
        return -1, decoder.decode(b"")[1]


# For a mode Kostka's format, Pillow's raw mode, components, bytes of a sample.
_SOURCES = {
    "L": ("grey", "L", 1, 1),
    "I;16": ("grey", "I;16", 1, 2),
    "RGB": ("rgb", "RGB", 3, 1),
    "RGBA": ("rgba", "RGBA", 4, 1),
}
_NAMES = (
    "offset", "tile_offset", "tile_size", "quality_mode", "quality_layers", "num_resolutions", "codeblock_size",
    "precinct_size", "irreversible", "progression", "cinema_mode", "mct", "signed", "fd", "comment", "plt",
)  # fmt: skip
_ALL_BITS = 1 << 30  # a layer of so many a pixel has all
_ALL_DECIBELS = 400

_saving = threading.local()  # .ht: whether save_jph() is at work


class _Unwanted(Exception):
    """Something that Pillow's own encoder is to do, or to refuse."""


def _pair(value, default=(0, 0)):
    if value is None:
        return default
    if not isinstance(value, (list, tuple)) or len(value) != 2 or not all(type(side) is int and side >= 0 for side in value):
        raise _Unwanted
    return tuple(value)


def _target(config, bits):
    """Return the options of encode() for layers, of pictures of so many bits a pixel, with the meaning that OpenJPEG gives them."""
    layers, reversible = config["quality_layers"], not config["irreversible"]
    everything = {"lossless": True} if reversible else {"step": 1.0}
    if layers is None:
        return everything
    if not 1 <= len(layers) <= 100 or not all(0 <= layer < 1e6 for layer in layers):
        raise _Unwanted
    decibels = config["quality_mode"] == "dB"
    values, last = [], 0
    for layer in layers:  # none is smaller than the one before
        wanted = (layer or _ALL_DECIBELS) if decibels else bits / layer if layer > 1 else _ALL_BITS
        last = max(last, wanted)
        values.append(float(last))
    if values == [_ALL_DECIBELS if decibels else _ALL_BITS]:
        return everything
    return {"psnr" if decibels else "rate": values, "reversible": reversible}


def _levels(config, width, height):
    """Return the levels of tiles of a size: five, or as many as it allows; or those that are asked for."""
    most = min(width, height).bit_length() - 1
    if not config["num_resolutions"]:
        return min(5, most)
    if not 1 <= config["num_resolutions"] <= most + 1:
        raise _Unwanted
    return config["num_resolutions"] - 1


def _floor_power(size):
    return max(2, min(1 << 15, 1 << max(size, 1).bit_length() - 1))


def _blocks(config, levels):
    """Return the options for code-blocks and precincts; those that OpenJPEG would not take are passed over as Pillow does."""
    options = {}
    block, precinct = _pair(config["codeblock_size"]), _pair(config["precinct_size"])
    if all(4 <= side <= 1024 for side in block) and block[0] * block[1] <= 4096:
        if any(side & (side - 1) for side in block):
            raise _Unwanted
        options["codeblock"] = block
    if min(precinct) >= 4 and precinct[0] >= block[0] and precinct[1] > block[1]:
        options["precincts"] = [tuple(_floor_power(side >> level) for side in precinct) for level in range(levels + 1)]
    return options


def _options(config, size, channels, bits):
    if config["cinema_mode"] != "no" or (config["signed"] and channels > 1):
        raise _Unwanted
    offset, corner, tile = (_pair(config[name]) for name in ("offset", "tile_offset", "tile_size"))
    options = {"progression": config["progression"], **_target(config, channels * bits)}
    if any(offset):
        options["image_origin"] = offset
    if all(tile):
        if any(not c <= o < c + t for o, c, t in zip(offset, corner, tile)):
            raise _Unwanted
        options.update(tiles=tile, tile_origin=corner)
    levels = _levels(config, *(tile if all(tile) else size))
    options.update(levels=levels, **_blocks(config, levels))
    if channels >= 3:
        options["keep_components"] = channels > 3 or not config["mct"]
    comment = config["comment"]
    if comment:
        if len(comment) >= 65532 or b"\0" in comment:
            raise _Unwanted
        options["comment"] = comment
    if config["plt"]:
        options["plt"] = True
    return options


class Encoder(Coder, ImageFile.PyEncoder):
    """Pillow makes one for each picture that it saves; args are those of its own encoder of the same name."""

    _pushes_fd = True

    def own(self):
        return Image.core.jpeg2k_encoder(self.mode, *self.args)

    def encode_to_pyfd(self):
        data = self._encode()
        if data is not None:
            self.fd.write(data)
            return len(data), 1
        if getattr(_saving, "ht", False):
            raise OSError(f"HTJ2K cannot be written with this mode ({self.mode}) or these options")
        encoder = self.prepared()
        encoder.setfd(self.fd)
        return encoder.encode_to_pyfd()

    def _encode(self):
        """Encode with Kostka; None if Pillow's own encoder is to do it, or to say what is wrong."""
        config = {**dict.fromkeys(_NAMES), **dict(zip(_NAMES, self.args[1:]))}
        if self.mode not in _SOURCES or len(self.args) > 1 + len(_NAMES):
            return None
        format, rawmode, channels, size = _SOURCES[self.mode]
        width, height = self.state.xsize, self.state.ysize
        names = {"jp2": "jph", "j2k": "jhc"} if getattr(_saving, "ht", False) else {"jp2": "jp2", "j2k": "j2k"}
        owner = None
        try:
            options = _options(config, (width, height), channels, 8 * size)
            pixels, owner = self.room(channels) if size == 1 and channels in (1, 4) else (None, None)
            if pixels is None:
                pixels = self.packed(rawmode, width * height * channels * size)
            letter = "BH"[size - 1]
            pixels = pixels.cast("B").cast(letter.lower() if config["signed"] else letter)
            shape = (height, width, channels) if channels > 1 else (height, width)
            pixels = pixels.cast("B").cast(pixels.format, shape)
            return encode(pixels, format=format, codec=names[self.args[0]], **options)
        except (_Unwanted, KostkaError, KeyError, TypeError, ValueError):
            return None
        finally:
            del owner  # which keeps the pixels valid until here


def save_jph(im, fp, filename):
    """Save as Pillow saves JPEG 2000, but with block coding of T.814."""
    _saving.ht = True
    try:
        Jpeg2KImagePlugin._save(im, fp, filename)
    finally:
        _saving.ht = False
