# SPDX-License-Identifier: BSD-2-Clause
"""Encoding: what it reads pixels from, its options, and batches."""

import unittest

import kostka
import pictures

WIDTH, HEIGHT = 64, 40


class Encode(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(WIDTH, HEIGHT)

    def test_options(self):
        sizes = [len(kostka.encode(self.array, quality=quality)) for quality in (10, 50, 95)]
        self.assertEqual(sizes, sorted(sizes))
        for coding, process in (("baseline", "baseline"), ("optimized", "baseline"), ("progressive", "progressive")):
            info = kostka.info(kostka.encode(self.array, coding=coding, quality=80))
            self.assertEqual((info.process, info.quality), (process, 80))
        for name, factors in (("420", (2, 2)), ("422", (2, 1)), ("444", (1, 1)), ("440", (1, 2))):
            first = kostka.info(kostka.encode(self.array, subsampling=name)).components[0]
            self.assertEqual((first.h, first.v), factors)

    def test_names(self):
        """Other spellings of the same options."""
        for one, other in (
            ({"subsampling": "420"}, {"subsampling": "4:2:0"}),
            ({"subsampling": "444"}, {"subsampling": "4:4:4"}),
            ({"subsampling": "422"}, {"subsampling": ((2, 1), (1, 1), (1, 1))}),
            ({"coding": "progressive"}, {"progressive": True}),
            ({"coding": "progressive"}, {"progressive": True, "optimize": True}),
            ({"coding": "optimized"}, {"optimize": True}),
            ({"coding": "optimized"}, {"coding": "optimised"}),
            ({"coding": "optimized"}, {"optimise": True, "progressive": False}),
            ({"coding": "baseline"}, {"optimize": False}),
            ({"colour": "grey"}, {"colour": "gray"}),
            ({"colour": "grey"}, {"color": "gray"}),
            ({"colour": "rgb"}, {"color": "rgb"}),
            ({}, {"quality": None, "subsampling": None, "restart": None, "icc": None, "progressive": None}),
        ):
            with self.subTest(one=one, other=other):
                self.assertEqual(kostka.encode(self.array, **one), kostka.encode(self.array, **other))
        data = kostka.encode(self.array)
        self.assertEqual(kostka.decode(data, format="gray"), kostka.decode(data, format="grey"))
        self.assertEqual(kostka.transcode(data, progressive=True), kostka.transcode(data, coding="progressive"))
        self.assertEqual(kostka.transcode(data, gray=True), kostka.transcode(data, grey=True))
        self.assertNotEqual(kostka.encode(self.array, optimize=True), data)

    def test_contradictions(self):
        for options in (
            {"coding": "baseline", "progressive": True},
            {"coding": "optimized", "progressive": True},
            {"coding": "baseline", "optimize": True},
            {"coding": "progressive", "progressive": False},
        ):
            with self.assertRaises(ValueError) as caught:
                kostka.encode(self.array, **options)
            self.assertIn("contradicts", str(caught.exception))

    def test_tables(self):
        flat = [3] * 64
        info = kostka.info(kostka.encode(self.array, tables=[flat, range(1, 65)]))
        self.assertEqual(info.components[0].quant_table, tuple(flat))
        self.assertEqual(info.components[2].quant_table, tuple(range(1, 65)))
        info = kostka.info(kostka.encode(self.array, tables=[[300] * 64, flat], wide_quantisers=True))
        self.assertEqual((info.process, info.components[0].quant_table[0]), ("extended", 300))
        self.assertEqual(kostka.info(kostka.encode(self.array, density=("cm", 40, 50))).density, ("cm", 40, 50))
        for options in ({"tables": [flat[1:]]}, {"tables": []}, {"tables": [[0] * 64]}, {"density": ("mile", 1, 1)}):
            self.assertRaises(ValueError, kostka.encode, self.array, **options)
        for options in ({"subsampling": 420}, {"density": 300}, {"icc": "text"}, {"qualty": 3}):
            with self.assertRaises(TypeError) as caught:
                kostka.encode(self.array, **options)
            self.assertIn(next(iter(options)), str(caught.exception))

    def test_restarts(self):
        self.assertEqual(kostka.info(kostka.encode(self.array)).restart_interval, 0)
        self.assertEqual(kostka.info(kostka.encode(self.array, restart=3)).restart_interval, 3)
        self.assertEqual(kostka.info(kostka.encode(self.array, restart=("rows", 1))).restart_interval, 4)
        kostka.encode(self.array, restart="auto")
        for wrong in (0, 70000, -1, "keep", ("columns", 1), ("rows",), 1.5):
            self.assertRaises((ValueError, TypeError, OverflowError), kostka.encode, self.array, restart=wrong)

    def test_formats(self):
        rgba = pictures.array(WIDTH, HEIGHT, 4)
        rgb = bytearray()
        for i in range(0, len(bytes(rgba)), 4):
            rgb += bytes(rgba)[i : i + 3]
        shaped = memoryview(rgb).cast("B", (HEIGHT, WIDTH, 3))
        planar = memoryview(rgb[0::3] + rgb[1::3] + rgb[2::3]).cast("B", (3, HEIGHT, WIDTH))
        wanted = kostka.encode(shaped)
        self.assertEqual(kostka.encode(rgba), wanted)
        self.assertEqual(kostka.encode(planar, format="planar"), wanted)
        self.assertNotEqual(kostka.encode(shaped, format="bgr"), wanted)
        self.assertEqual(kostka.info(kostka.encode(rgba, format="cmyk")).colour, "cmyk")
        grey = memoryview(rgb[0::3]).cast("B", (HEIGHT, WIDTH))
        self.assertEqual(kostka.encode(grey), kostka.encode(grey.cast("B").cast("B", (HEIGHT, WIDTH, 1))))

    def test_images(self):
        data = kostka.encode(self.array)
        for name in ("rgb", "bgr", "rgba", "planar", "grey"):
            image = kostka.decode(data, format=name)
            same = kostka.encode(memoryview(image), format=name)
            self.assertEqual(kostka.encode(image), same)
            self.assertEqual(kostka.encode(image, format=name), same)

    def test_metadata(self):
        data = kostka.encode(self.array, icc=b"i" * 70000, exif=b"II*\0" + b"e" * 20, xmp=b"<x/>", comment=b"hello")
        found = {item.kind: item.data for item in kostka.info(data).metadata}
        self.assertEqual(found["icc"], b"i" * 70000)
        self.assertEqual(found["comment"], b"hello")
        self.assertEqual(found["xmp"], b"<x/>")
        self.assertEqual(found["exif"], b"II*\0" + b"e" * 20)
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.encode(self.array, exif=b"e" * 70000)
        self.assertEqual(caught.exception.status, "ERROR_JPEG_METADATA_SIZE")

    def test_batch(self):
        arrays = [pictures.array(WIDTH, HEIGHT, channels) for channels in (1, 3, 4)]
        self.assertEqual(kostka.encode_batch(arrays), [kostka.encode(array) for array in arrays])
        self.assertEqual(kostka.encode_batch([]), [])
        self.assertRaises(kostka.KostkaError, kostka.encode_batch, arrays, quality=0)
        results = kostka.encode_batch(arrays, quality=0, errors="return")
        self.assertEqual([result.status for result in results], ["ERROR_JPEG_QUALITY"] * 3)

    def test_info(self):
        info = kostka.info(kostka.encode(self.array, quality=90))
        self.assertEqual((info.codec, info.colour, info.width, info.height), ("jpeg", "ycbcr", WIDTH, HEIGHT))
        self.assertEqual((info.mcu, info.jfif, info.adobe_transform), ((16, 16), (1, 1), None))
        self.assertEqual([len(component.quant_table) for component in info.components], [64] * 3)
        self.assertEqual(info.metadata, ())
        self.assertEqual(info.density, ("ratio", 1, 1))


if __name__ == "__main__":
    unittest.main()
