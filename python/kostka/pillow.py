# SPDX-License-Identifier: BSD-2-Clause
"""Lets Pillow decode JPEG with Kostka: after register(), Image.open() and load() do so, and programs stay as they are.

    import kostka.pillow
    kostka.pillow.register()

The pixels are those of Pillow's own decoder, which still decodes what is damaged or cut off, reports it, and decodes to
YCbCr. unregister() ends that.
"""

from PIL import Image, ImageFile

from . import KostkaError, decode

# Kostka's format for a mode, and Pillow's raw mode for its bytes; of a mode that has none the raw mode is the decoder's.
_FORMATS = {"L": ("grey", "L"), "RGB": ("rgba", "RGBX"), "CMYK": ("cmyk", None)}

_REDUCE = {1: 0, 2: 1, 4: 2, 8: 3}


class _Decoder(ImageFile.PyDecoder):
    """Pillow makes one for each picture that it loads; args are those of its own decoder of the same name."""

    _pulls_fd = True

    def decode(self, buffer):
        data = self.fd.read()
        pixels = self._pixels(data)
        if pixels is None:
            return self._decode_otherwise(data)
        format, rawmode = _FORMATS[self.mode]
        self.set_as_raw(pixels, rawmode or self.args[0])
        return -1, 0

    def _pixels(self, data):
        reduce = _REDUCE.get((self.args[2] if len(self.args) > 2 else 1) or 1)
        if self.mode not in _FORMATS or reduce is None:
            return None
        try:
            image = decode(data, format=_FORMATS[self.mode][0], reduce=reduce, strict=True)
        except KostkaError:
            return None
        if (image.width, image.height) != (self.state.xsize, self.state.ysize):
            return None
        return memoryview(image).tobytes()

    def _decode_otherwise(self, data):
        decoder = Image.core.jpeg_decoder(self.mode, *self.args)
        decoder.setimage(self.im, self.state.extents())
        count, error = decoder.decode(data)
        if count >= 0 and ImageFile.LOAD_TRUNCATED_IMAGES:  # as JpegImageFile.load_read() ends what was cut off
            count, error = decoder.decode(data[count:] + b"\xff\xd9")
        elif count >= 0:
            raise OSError(f"image file is truncated ({len(data) - count} bytes not processed)")
        return -1, error if count < 0 else 0


def register():
    """Let Pillow decode JPEG with Kostka, in all threads of this process."""
    Image.register_decoder("jpeg", _Decoder)


def unregister():
    """Let Pillow decode JPEG by itself again."""
    if Image.DECODERS.get("jpeg") is _Decoder:
        del Image.DECODERS["jpeg"]
