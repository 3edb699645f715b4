# SPDX-License-Identifier: BSD-2-Clause
"""Pillow decodes JPEG 2000 with Kostka to its own pixels, and encodes it as its options say; the rest it does itself."""

import contextlib
import io
import os
import tempfile
import unittest

try:
    from PIL import Image, ImageFile, features

    HAS = features.check("jpg_2000")
except ImportError:
    HAS = False

import kostka
import pictures

WIDTH, HEIGHT = 157, 93

# Of the encoder's options, those with which each mode is tried; the bytes of a layer that is cut off differ.
LOSSLESS = (
    {},
    {"no_jp2": True},
    {"mct": 1},
    {"quality_layers": [40, 10, 1]},
    {"num_resolutions": 3},
    {"codeblock_size": (32, 16)},
    {"precinct_size": (64, 64), "codeblock_size": (16, 16)},
    {"precinct_size": (128, 128), "progression": "RPCL"},
    {"tile_size": (64, 50)},
    {"tile_size": (64, 50), "offset": (0, 0), "tile_offset": (0, 0)},
)
LOSSY = (
    {"irreversible": True},
    {"irreversible": True, "quality_layers": [20], "mct": 1},
    {"irreversible": True, "quality_layers": [30, 40], "quality_mode": "dB"},
    {"quality_layers": [15]},
)


def _images():
    rgb = Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT)))
    alpha = rgb.copy().convert("RGBA")
    alpha.putalpha(rgb.convert("L"))
    wide = bytes((x * 37 + y * 91) * 11 >> shift & 0xFF for y in range(HEIGHT) for x in range(WIDTH) for shift in (0, 8))
    return [rgb.convert("L"), rgb, alpha, Image.frombytes("I;16", (WIDTH, HEIGHT), wide)]


def _saved(image, options, format="JPEG2000"):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def _loaded(data, reduce=0, layers=0):
    image = Image.open(io.BytesIO(data))
    image.layers = layers
    if reduce:
        image.reduce = reduce
    image.load()
    return image


def _samples(image):
    return memoryview(image.tobytes()).cast("H" if image.mode == "I;16" else "B").tolist()


def _farthest(image, other):
    if image.tobytes() == other.tobytes():
        return 0
    return max(abs(a - b) for a, b in zip(_samples(image), _samples(other), strict=True))


def _squares(image, other):
    return sum((a - b) ** 2 for a, b in zip(_samples(image), _samples(other), strict=True))


@contextlib.contextmanager
def _registered():
    """With Kostka in place; gives the list of its calls that gave something."""
    import kostka._pillow_coder as coder
    import kostka._pillow_jpeg2000 as own
    import kostka.pillow

    calls = []
    kept = own.decode, own.encode

    def counted(function):
        def call(*arguments, **options):
            result = function(*arguments, **options)
            calls.append(options)
            return result

        return call

    own.decode, own.encode = map(counted, kept)
    coder.decode = own.decode
    kostka.pillow.register()
    try:
        yield calls
    finally:
        kostka.pillow.unregister()
        own.decode, own.encode = kept
        coder.decode = kept[0]


@unittest.skipUnless(HAS, "Pillow with JPEG 2000 is not installed")
class Plugin(unittest.TestCase):
    def _decodes(self, data, most, **options):
        expected = _loaded(data, **options)
        with _registered() as calls:
            decoded = _loaded(data, **options)
        self.assertEqual(len(calls), 1, options)
        self.assertEqual((decoded.mode, decoded.size), (expected.mode, expected.size))
        self.assertLessEqual(_farthest(decoded, expected), most, options)

    def test_decoding(self):
        for image in _images():
            for options in LOSSLESS:
                data = _saved(image, options)
                for how in {}, {"reduce": 1}, {"layers": 1}:
                    self._decodes(data, 0, **how)
            for options in LOSSY:  # 9/7 within 1 of 255, as T.803 allows, and of 65535 within 4: sums have 24 bits
                most = 4 if image.mode == "I;16" else 1
                self._decodes(_saved(image, options), most if options.get("irreversible") else 0)

    def test_saving(self):
        for image in _images():
            for options in LOSSLESS + LOSSY:
                theirs = _saved(image, options)
                with _registered() as calls:
                    ours = _saved(image, options)
                self.assertEqual(len(calls), 1, options)
                said, wanted = (kostka.info(data).jpeg2000 for data in (ours, theirs))
                wanted["alpha"] = "no_jp2" not in options and image.mode == "RGBA"  # which Pillow says from 9.5 on
                self.assertEqual(said, wanted, (image.mode, options))
                self.assertEqual(kostka.info(ours).colour, kostka.info(theirs).colour)
                self.assertEqual(ours[:2] == b"\xff\x4f", "no_jp2" in options)
                back, expected = _loaded(ours), _loaded(theirs)
                self.assertEqual(back.mode, expected.mode)
                if options in LOSSLESS:
                    self.assertEqual(back.tobytes(), image.tobytes(), (image.mode, options))
                    continue
                squares, samples = _squares(back, image), len(_samples(image))
                if "quality_mode" in options:  # of 40 dB
                    highest = 65535 if image.mode == "I;16" else 255
                    self.assertLessEqual(squares, highest**2 / 10**4 * samples, image.mode)
                else:  # no larger and nearly as good, or better
                    self.assertLessEqual(len(ours), len(theirs) * 1.01 + 100, (image.mode, options))
                    limit = 1.12 * _squares(expected, image) + (0 if "quality_layers" in options else samples)
                    self.assertLessEqual(squares, limit, (image.mode, options))

    def test_saving_to_files(self):
        image = _images()[1]
        with tempfile.TemporaryDirectory() as folder, _registered() as calls:
            for name, start in ("a.jp2", b"\0\0\0\x0c"), ("a.j2k", b"\xff\x4f\xff\x51"):
                path = os.path.join(folder, name)
                image.save(path)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(4), start)
                with Image.open(path) as back:
                    self.assertEqual(back.tobytes(), image.tobytes())
        self.assertEqual(len(calls), 4)

    def test_comment_and_lengths(self):
        image = _images()[0]
        with _registered() as calls:
            data = _saved(image, {"comment": "some words", "plt": True, "no_jp2": True})
        self.assertEqual(len(calls), 1)
        theirs = _saved(image, {"comment": "some words", "no_jp2": True})
        if b"some words" in theirs:  # Pillow from 9.5 on
            self.assertIn(b"some words", data)
            self.assertIn(b"\xff\x58", data)  # PLT
        if "comment" in _loaded(theirs).info:  # later ones, that of Ubuntu 24.04 not among them
            self.assertEqual(_loaded(data).info["comment"], b"some words")

    def test_signed(self):
        """Samples that are said to have a sign are the same bytes; Pillow reads them."""
        for image in _images():
            theirs = _saved(image, {"signed": True})
            with _registered() as calls:
                ours = _saved(image, {"signed": True})
                self.assertEqual(_loaded(ours).tobytes(), _loaded(theirs).tobytes())
            self.assertEqual(len(calls), image.mode in ("L", "I;16"))
            self.assertEqual(_loaded(ours).tobytes(), _loaded(theirs).tobytes())

    def test_left_to_pillow(self):
        """Modes and options that Kostka does not take, and those that Pillow refuses, give what they gave."""
        grey, rgb = _images()[:2]
        for image, options in (
            (Image.merge("LA", [grey, grey]), {}),
            (rgb.convert("YCbCr"), {}),
            (rgb, {"cinema_mode": "cinema2k-24"}),
            (rgb.crop((0, 0, 0, 5)), {}),
            (rgb, {"progression": "words"}),
            (rgb, {"num_resolutions": 9}),
            (rgb, {"tile_size": (64, 64), "tile_offset": (100, 100)}),
            (rgb, {"codeblock_size": (48, 16)}),
            (rgb.convert("1"), {}),
        ):
            outcomes = []
            for place in contextlib.nullcontext, _registered:
                with place() as calls:
                    try:
                        outcomes.append(_saved(image, options))
                    except Exception as error:
                        outcomes.append((type(error), str(error)))
            self.assertEqual(*outcomes, (image.mode, options))
            self.assertEqual(calls, [], (image.mode, options))
        with _registered() as calls:
            _loaded(_saved(Image.merge("LA", [grey, grey]), {}))
        self.assertEqual(calls, [])

    def test_damaged(self):
        """Cut off, or with other bytes inside: Pillow's own pixels or errors."""
        for image in _images()[:2]:
            for options in {}, {"irreversible": True}, {"no_jp2": True, "tile_size": (64, 50)}:
                data = _saved(image, options)
                middle = len(data) * 2 // 3
                spoilt = data[:middle] + b"\xff\xff\0\0\0\xff\x93" + data[middle + 7 :]
                for damaged in data[:middle], data[:-2], data[:100], spoilt:
                    for truncated in False, True:
                        outcomes = []
                        for place in contextlib.nullcontext, _registered:
                            ImageFile.LOAD_TRUNCATED_IMAGES = truncated
                            try:
                                with place():
                                    outcomes.append(_loaded(damaged).tobytes())
                            except (OSError, SyntaxError) as error:
                                outcomes.append((type(error), str(error)))
                            finally:
                                ImageFile.LOAD_TRUNCATED_IMAGES = False
                        if damaged != spoilt or isinstance(outcomes[0], tuple):
                            self.assertEqual(*outcomes, (image.mode, options, len(damaged), truncated))

    def test_high_throughput(self):
        """Files of T.814, which Pillow opens with Kostka, and which Kostka writes by their name or format."""
        image = _images()[1]
        with tempfile.TemporaryDirectory() as folder, _registered() as calls:
            path = os.path.join(folder, "a.jph")
            image.save(path, tile_size=(64, 50), num_resolutions=3)
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual(kostka.info(data).jpeg2000["levels"], 2)
            self.assertEqual(data[20:24], b"jph ")
            self.assertEqual(_loaded(data).tobytes(), image.tobytes())
            self.assertEqual(_saved(image, {"no_jp2": True}, "JPH")[:2], b"\xff\x4f")
            self.assertEqual(len(calls), 3)
            with self.assertRaisesRegex(OSError, "HTJ2K cannot be written"):
                _saved(image.convert("YCbCr"), {}, "JPH")
        with self.assertRaises((KeyError, ValueError)):
            _saved(image, {}, "JPH")


if __name__ == "__main__":
    unittest.main()
