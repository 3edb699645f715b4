# SPDX-License-Identifier: BSD-2-Clause
"""Pillow decodes JPEG with Kostka to the same pixels, and with itself what is damaged."""

import hashlib
import io
import unittest

try:
    from PIL import Image, ImageFile
except ImportError:
    Image = None

import kostka
import pictures

WIDTH, HEIGHT = 157, 93


def _outcome(data, draft, truncated):
    ImageFile.LOAD_TRUNCATED_IMAGES = truncated
    try:
        image = Image.open(io.BytesIO(data))
        if draft:
            image.draft(*draft)
        image.load()
        return image.mode, image.size, hashlib.sha1(image.tobytes()).hexdigest()
    except OSError as error:
        return str(error).split("(")[0]
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _streams():
    grey = memoryview(bytes(x * y % 256 for y in range(HEIGHT) for x in range(WIDTH))).cast("B", (HEIGHT, WIDTH))
    rgb = pictures.array(WIDTH, HEIGHT)
    yield kostka.encode(grey)
    for options in {}, {"progressive": True}, {"subsampling": "444", "quality": 98}:
        yield kostka.encode(rgb, **options)
    ink = io.BytesIO()
    Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(rgb)).convert("CMYK").save(ink, "JPEG")
    yield ink.getvalue()


@unittest.skipUnless(Image, "Pillow is not installed")
class Plugin(unittest.TestCase):
    def _compare(self, data, draft=None, truncated=False):
        import kostka.pillow

        expected = _outcome(data, draft, truncated)
        kostka.pillow.register()
        try:
            self.assertEqual(_outcome(data, draft, truncated), expected, (len(data), draft, truncated))
        finally:
            kostka.pillow.unregister()

    def test_whole(self):
        for data in _streams():
            for draft in None, ("L", (20, 20)), ("RGB", (80, 40)), ("YCbCr", (WIDTH, HEIGHT)):
                self._compare(data, draft)

    def test_damaged(self):
        for data in _streams():
            for length in len(data) // 2, len(data) - 2:
                self._compare(data[:length])
                self._compare(data[:length], truncated=True)
            middle = len(data) * 2 // 3
            self._compare(data[:middle] + b"\xff\xd3\x00\x01" + data[middle + 4 :])

    def test_is_used(self):
        import kostka.pillow

        calls = []
        kostka.pillow.register()
        kept, kostka.pillow.decode = kostka.pillow.decode, lambda *a, **k: calls.append(k) or kept(*a, **k)
        try:
            _outcome(next(_streams()), None, False)
        finally:
            kostka.pillow.decode = kept
            kostka.pillow.unregister()
        self.assertEqual([call["format"] for call in calls], ["grey"])


if __name__ == "__main__":
    unittest.main()
