# SPDX-License-Identifier: BSD-2-Clause
"""What the decoders and encoders that Kostka gives to Pillow have in common."""

from PIL import Image


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

    def packed(self, rawmode, length):
        """Copy the pixels that are to be encoded to bytes of a raw mode, which are `length` in number."""
        encoder = Image.core.raw_encoder(self.mode, rawmode, 0, 1)
        encoder.setimage(self.im, self.state.extents())
        return memoryview(encoder.encode(max(length, 1))[2])
