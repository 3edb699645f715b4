# SPDX-License-Identifier: BSD-2-Clause
"""What the decoders and encoders that Kostka gives to Pillow have in common."""

from PIL import Image

from . import KostkaError, _pillow_memory, decode


class Coder:
    """Stands in front of PyDecoder or PyEncoder; own() makes Pillow's own coder of the name, which does what is left to it."""

    def own(self):
        raise NotImplementedError

    def setimage(self, im, extents=None):
        try:
            super().setimage(im, extents)
        except (SystemError, TypeError, ValueError):
            self.own().setimage(im, extents)  # says in its own words what is wrong
            raise

    def prepared(self):
        """Return Pillow's own coder for the same pixels."""
        coder = self.own()
        coder.setimage(self.im, self.state.extents())
        return coder

    def room(self, channels):
        """Return the memory of the picture as bytes and what keeps it valid, or None twice if it is not in one piece.

        channels: one, or four for RGB, the last of which is meaningless, and for RGBA
        """
        whole = self.state.extents() == (0, 0, *self.im.size)
        return (whole and _pillow_memory.pixels(self.im, channels)) or (None, None)

    def decode_into(self, data, format, **options):
        """Decode to Pillow's own memory. Returns whether that went; if not, the picture is as empty as before."""
        channels = {"grey": 1, "rgba": 4}.get(format)
        pixels, owner = self.room(channels) if channels else (None, None)
        if pixels is None:
            return False
        shape = (self.state.ysize, self.state.xsize, channels)[: 2 + (channels > 1)]
        try:
            image = decode(data, format=format, out=pixels.cast("B", shape), strict=True, **options)
            fine = not image.report.warnings
        except (KostkaError, ValueError):
            fine = False
        if not fine:
            pixels[:] = bytes(len(pixels))
        del owner  # which keeps the pixels valid until here
        return fine

    def packed(self, rawmode, length):
        """Copy the pixels that are to be encoded to bytes of a raw mode, which are `length` in number."""
        encoder = Image.core.raw_encoder(self.mode, rawmode, 0, 1)
        encoder.setimage(self.im, self.state.extents())
        return memoryview(encoder.encode(max(length, 1))[2])
