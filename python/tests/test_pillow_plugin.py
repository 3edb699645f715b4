# SPDX-License-Identifier: BSD-2-Clause
"""Pillow decodes JPEG with Kostka to the same pixels, encodes it to the same bytes, and does the rest with itself."""

import hashlib
import io
import os
import pathlib
import tempfile
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
        import kostka._pillow_coder
        import kostka.pillow

        size = Image.core.get_block_size()
        for block, modules in (size, [kostka._pillow_coder]), (4096, [kostka.pillow]):  # in one piece or several
            calls = []
            kostka.pillow.register()
            kept = kostka.pillow.decode
            for module in kostka._pillow_coder, kostka.pillow:
                module.decode = lambda *a, module=module, **k: calls.append((module, k["format"])) or kept(*a, **k)
            Image.core.set_block_size(block)
            try:
                _outcome(next(_streams()), None, False)
            finally:
                Image.core.set_block_size(size)
                kostka._pillow_coder.decode = kostka.pillow.decode = kept
                kostka.pillow.unregister()
            self.assertEqual(calls, [(module, "grey") for module in modules])

    def _save(self, image, path, options):
        """The file's bytes, or the error."""
        try:
            image.save(path or (memory := io.BytesIO()), "JPEG", **options)
        except (OSError, TypeError, ValueError) as error:
            return str(error)
        return pathlib.Path(path).read_bytes() if path else memory.getvalue()

    def _saves(self, image, options, path=None):
        """Save with Pillow alone and with Kostka, which must make the same bytes; return how often Kostka encoded."""
        import kostka.pillow

        expected = self._save(image, path, options)
        calls = []
        kostka.pillow.register()
        kept, kostka.pillow.encode = kostka.pillow.encode, lambda *a, **k: calls.append(k) or kept(*a, **k)
        try:
            self.assertEqual(self._save(image, path, options), expected, (image.mode, options))
        finally:
            kostka.pillow.encode = kept
            kostka.pillow.unregister()
        return len(calls)

    def test_saving(self):
        exif = b"Exif\0\0II*\0\x08\0\0\0\0\0"
        ours = (
            {},
            {"quality": 90, "dpi": (300, 150), "comment": "words"},
            {"quality": 100, "subsampling": 0},
            {"progressive": True, "exif": exif, "icc_profile": bytes(70000), "comment": b"more"},
            {"optimize": True, "quality": 33, "exif": exif},
        )
        rgb = Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT)))
        for image in rgb, rgb.convert("L"), rgb.crop((0, 0, 1, 1)):
            for options in ours:
                self.assertEqual(self._saves(image, options), 1, options)
        self.assertEqual(self._saves(rgb, {"subsampling": "4:2:2"}), 1)
        for options in {"qtables": "web_high"}, {"quality": "web_low"}, {"smooth": 10}, {"streamtype": 1}, {"quality": -5}:
            self.assertEqual(self._saves(rgb, options), 0)
        self.assertEqual(self._saves(rgb, {"comment": bytes(65534)}), 0)  # too long for a segment
        for mode in "CMYK", "1", "YCbCr", "P":
            self.assertEqual(self._saves(rgb.convert(mode), {}), 0)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self._saves(rgb, {"quality": 90}, os.path.join(folder, "a.jpg")), 1)

    def test_saving_in_pieces(self):
        """An image that Pillow has in several pieces is copied first."""
        import kostka._pillow_memory

        size = Image.core.get_block_size()
        Image.core.set_block_size(4096)
        try:
            image = Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT)))
        finally:
            Image.core.set_block_size(size)
        self.assertIsNone(kostka._pillow_memory.pixels(image.im, 4))
        self.assertEqual(self._saves(image, {}), 1)
        found = kostka._pillow_memory.pixels(image.copy().im, 4)
        if found:  # Pillow 12 does not say where pixels are
            self.assertEqual(bytes(found[0][:3]), bytes(pictures.array(WIDTH, HEIGHT).cast("B")[:3]))

    def test_saving_a_buffer(self):
        """An image in the caller's buffer, from the first row to the last one or the other way round."""
        samples = bytes(x * y % 256 for y in range(HEIGHT) for x in range(WIDTH))
        for step in 1, -1:
            image = Image.frombuffer("L", (WIDTH, HEIGHT), samples, "raw", "L", 0, step)
            self.assertTrue(image.readonly)
            self.assertEqual(self._saves(image, {}), 1)


if __name__ == "__main__":
    unittest.main()
