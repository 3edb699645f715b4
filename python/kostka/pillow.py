# SPDX-License-Identifier: BSD-2-Clause
"""Lets Pillow decode and encode JPEG and JPEG 2000 with Kostka: after register(), Image.open(), load() and save() do so, and
programs stay as they are.

    import kostka.pillow
    kostka.pillow.register()

The pixels are those of Pillow's own decoder, which still decodes what is damaged or cut off, reports it, and decodes to
YCbCr. The files are those of Pillow's own encoder, which still encodes modes other than L and RGB, and with qtables, smooth,
streamtype or keep_rgb.

JPEG 2000 and HTJ2K: pixels without loss are those of Pillow's own decoder, others differ by 1 in a few of ten thousand. Pillow
decodes what is damaged, sYCC, palettes, LA, and samples of other than 8 bits, or of other than 16 in one component; and it
encodes LA, CMYK and YCbCr, and for cinema. All else of its options is honoured; files are others than Pillow's, with the same pixels
if without loss. save("a.jph"), or the format "JPH", which is there after register(), writes HTJ2K with the same options.
unregister() ends that.
"""

from PIL import Image, ImageFile

from . import KostkaError, _pillow_jpeg2000, decode, encode
from ._pillow_coder import Coder

# Kostka's format for a mode, and Pillow's raw mode for its bytes; of a mode that has none the raw mode is the decoder's.
_FORMATS = {"L": ("grey", "L"), "RGB": ("rgba", "RGBX"), "CMYK": ("cmyk", None)}

_REDUCE = {1: 0, 2: 1, 4: 2, 8: 3}


class _Decoder(Coder, ImageFile.PyDecoder):
    """Pillow makes one for each picture that it loads; args are those of its own decoder of the same name."""

    _pulls_fd = True

    def own(self):
        return Image.core.jpeg_decoder(self.mode, *self.args)

    def decode(self, buffer):
        data = self.fd.read()
        reduce = _REDUCE.get((self.args[2] if len(self.args) > 2 else 1) or 1)
        if self.mode not in _FORMATS or reduce is None:
            return self._decode_otherwise(data)
        format, rawmode = _FORMATS[self.mode]
        if self.decode_into(data, format, reduce=reduce):
            return -1, 0
        pixels = self._pixels(data, reduce)
        if pixels is None:
            return self._decode_otherwise(data)
        self.set_as_raw(pixels, rawmode or self.args[0])
        return -1, 0

    def _pixels(self, data, reduce):
        try:
            image = decode(data, format=_FORMATS[self.mode][0], reduce=reduce, strict=True)
        except KostkaError:
            return None
        if (image.width, image.height) != (self.state.xsize, self.state.ysize):
            return None
        return memoryview(image).tobytes()

    def _decode_otherwise(self, data):
        decoder = self.prepared()
        count, error = decoder.decode(data)
        if count >= 0 and ImageFile.LOAD_TRUNCATED_IMAGES:  # as JpegImageFile.load_read() ends what was cut off
            count, error = decoder.decode(data[count:] + b"\xff\xd9")
        elif count >= 0:
            raise OSError(f"image file is truncated ({len(data) - count} bytes not processed)")
        return -1, error if count < 0 else 0


# For a mode Kostka's format, Pillow's raw mode for it, which is how Pillow stores pixels, and its channels.
_SOURCES = {"L": ("grey", "L", 1), "RGB": ("rgba", "RGBX", 4)}

_LONGEST = 65533  # bytes of a segment behind its length (T.81 B.1.1.4)

_SUBSAMPLINGS = {-1: "420", 0: "444", 1: "422", 2: "420"}


def _settings(config):
    """Name the arguments of Pillow's encoder, whose number depends on its release; None for an unknown release."""
    names = ["keep_rgb", "streamtype", "dpi", "subsampling", "blocks", "rows"]
    middle = list(config[4:-4])
    if len(middle) in (4, 6, 7) and not isinstance(middle[2], (list, tuple)):  # numbers for the density
        at = len(middle) == 7
        middle[at + 1 : at + 3] = [(middle[at + 1], middle[at + 2])]
        middle = ([] if at else [False]) + middle + ([0, 0] if len(middle) == 3 else [])
    if len(middle) != len(names):
        return None
    ends = dict(zip(["quality", "progressive", "smooth", "optimize"], config[:4]))
    return {**ends, **dict(zip(names, middle)), **dict(zip(["qtables", "comment", "extra", "exif"], config[-4:]))}


def _options(config):
    """Return options of encode() for the arguments of Pillow's encoder; None where it must do the work itself."""
    if config["smooth"] or config["streamtype"] or config["qtables"] or config["keep_rgb"]:
        return None
    if config["subsampling"] not in _SUBSAMPLINGS or not (config["quality"] == -1 or 1 <= config["quality"] <= 100):
        return None
    options = {"subsampling": _SUBSAMPLINGS[config["subsampling"]]}
    if config["quality"] != -1:
        options["quality"] = config["quality"]
    if config["progressive"] or config["optimize"]:
        options["coding"] = "progressive" if config["progressive"] else "optimized"
    if config["dpi"][0] > 0 and config["dpi"][1] > 0:
        options["density"] = ("inch", *config["dpi"])
    if config["blocks"] or config["rows"]:
        options["restart"] = ("rows", config["rows"]) if config["rows"] else config["blocks"]
    return options


def _segment(marker, data):
    return b"\xff" + bytes([marker]) + (len(data) + 2).to_bytes(2, "big") + data if data else b""


class _Encoder(Coder, ImageFile.PyEncoder):
    """Pillow makes one for each picture that it saves; args are those of its own encoder of the same name."""

    _pushes_fd = True

    def own(self):
        return Image.core.jpeg_encoder(self.mode, *self.args)

    def encode(self, bufsize):
        config = _settings(self.args[1:])
        data = self._encode(config) if config else None
        if data is None:
            return self._encode_otherwise()
        return len(data), 1, data

    def _encode(self, config):
        """Encode with Kostka, and put Pillow's own segments behind the JFIF header; None if it cannot be done."""
        options = _options(config)
        if options is None or self.mode not in _SOURCES or self.args[0] != self.mode:
            return None
        if self.mode == "L" and config["subsampling"] > 0:  # the one component has these factors then
            return None
        comment = config["comment"]
        comment = comment.encode() if isinstance(comment, str) else comment
        if len(config["exif"] or b"") > _LONGEST or len(comment or b"") > _LONGEST:
            return None  # Pillow says what is wrong
        format, rawmode, channels = _SOURCES[self.mode]
        width, height = self.state.xsize, self.state.ysize
        shape = (height, width, channels) if channels > 1 else (height, width)
        pixels, owner = self.room(channels)
        if pixels is None:
            pixels = self.packed(rawmode, width * height * channels)
        try:
            data = memoryview(encode(pixels.cast("B", shape), format=format, **options))
        except (KostkaError, ValueError):  # Pillow says what is wrong
            return None
        finally:
            del owner, pixels  # which was valid until here
        header = 4 + int.from_bytes(data[4:6], "big")
        segments = _segment(0xE1, config["exif"]), config["extra"], _segment(0xFE, comment)
        return b"".join([data[:header], *segments, data[header:]])

    def _encode_otherwise(self):
        encoder = self.prepared()
        size = max(1 << 16, 4 * self.state.xsize * self.state.ysize)
        parts = []
        while True:
            _, error, data = encoder.encode(size)
            parts.append(data)
            if error:
                return sum(map(len, parts)), error, b"".join(parts)


_CODERS = (
    (Image.DECODERS, "jpeg", _Decoder),
    (Image.ENCODERS, "jpeg", _Encoder),
    (Image.DECODERS, "jpeg2k", _pillow_jpeg2000.Decoder),
    (Image.ENCODERS, "jpeg2k", _pillow_jpeg2000.Encoder),
)


def register():
    """Let Pillow decode and encode JPEG and JPEG 2000 with Kostka, in all threads of this process."""
    for coders, name, own in _CODERS:
        coders[name] = own
    Image.register_save("JPH", _pillow_jpeg2000.save_jph)
    Image.register_extension("JPH", ".jph")


def unregister():
    """Let Pillow decode and encode by itself again."""
    for coders, name, own in _CODERS:
        if coders.get(name) is own:
            del coders[name]
    if Image.SAVE.get("JPH") is _pillow_jpeg2000.save_jph:
        del Image.SAVE["JPH"], Image.EXTENSION[".jph"]
