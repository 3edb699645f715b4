# SPDX-License-Identifier: BSD-2-Clause
"""Images of another size."""

import struct
import unittest

import kostka
import pictures

try:
    import PIL
    import PIL.Image
    import PIL.ImageOps
except ImportError:
    PIL = None

WIDTH, HEIGHT = 61, 47


class Sizes(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(WIDTH, HEIGHT)

    def test_means(self):
        pixels = memoryview(bytes((1, 3, 8, 10, 5, 7, 16, 18))).cast("B", (2, 4))
        self.assertEqual(bytes(kostka.resize(pixels, (2, 1), filter="box")), bytes((4, 13)))
        self.assertEqual(bytes(kostka.resize(pixels, (2, 1), filter="box", mirror=True)), bytes((13, 4)))
        self.assertEqual(bytes(kostka.resize(pixels, (1, 1), filter="box", box=(2, 1, 4, 2))), bytes((17,)))

    def test_wide_samples(self):
        pixels = memoryview(struct.pack("4H", 0, 1000, 40000, 60000)).cast("B").cast("H", (2, 2))
        image = kostka.resize(pixels, 1, filter="box")
        self.assertEqual((image.dtype, image[0, 0]), ("uint16", 25250))

    def test_shapes(self):
        for size, fit, shape in (
            ((20, 10), "exact", (10, 20, 3)),
            ((20, 0), None, (15, 20, 3)),
            ((0, 94), "exact", (94, 122, 3)),
            ((30, 30), "inside", (23, 30, 3)),
            ((30, 31), "cover", (31, 30, 3)),
            (16, "exact", (16, 16, 3)),
        ):
            self.assertEqual(kostka.resize(self.array, size, fit=fit).shape, shape)
        planar = kostka.decode(kostka.encode(self.array), format="planar")
        self.assertEqual(kostka.resize(planar, (20, 10)).shape, (3, 10, 20))

    def test_an_image_is_its_array(self):
        image = kostka.decode(kostka.encode(self.array))
        small = kostka.resize(image, (20, 10))
        self.assertEqual((small.format, small.width, small.height, small.memory), ("rgb", 20, 10, "host"))
        self.assertEqual(kostka.resize(memoryview(image), (20, 10)), small)
        part = kostka.resize(image[10:40, 5:50], (20, 10))
        self.assertNotEqual(part, small)
        with kostka.Context("cpu", threads=3) as context:
            self.assertEqual(context.resize(image, size=(20, 10)), small)
        self.assertEqual(kostka.resize(image, (WIDTH, HEIGHT)), image)

    def test_filters_and_orders_differ(self):
        tall = pictures.array(40, 300)
        found = {bytes(kostka.resize(tall, (30, 20), filter=name)) for name in ("box", "bilinear", "hamming", "lanczos")}
        found.add(bytes(kostka.resize(tall, (30, 20))))
        found.add(bytes(kostka.resize(tall, (30, 20), order="horizontal")))
        self.assertEqual(len(found), 6)

    def test_refused(self):
        for error, arguments in (
            (TypeError, {"size": "big"}),
            (TypeError, {"size": (1, 2, 3)}),
            (ValueError, {"size": (-1, 2)}),
            (kostka.OptionError, {"size": (0, 0)}),
            (ValueError, {"size": (3, 3), "filter": "nearest"}),
            (ValueError, {"size": (3, 3), "fit": "stretch"}),
            (ValueError, {"size": (3, 3), "order": "vertical"}),
            (TypeError, {"size": (3, 3), "box": 5}),
            (ValueError, {"size": (3, 3), "box": (0, 0, 1)}),
            (ValueError, {"size": (3, 3), "box": (0, 0, 0, 0)}),
            (TypeError, {"size": (3, 3), "box": (0, 0, "1", 1)}),
            (kostka.KostkaError, {"size": (3, 3), "box": (0, 0, WIDTH + 1, 1)}),
            (kostka.KostkaError, {"size": (3, 3), "box": (0, 0, float("nan"), 1)}),
            (kostka.LimitError, {"size": (2**20, 2**20)}),
            (TypeError, {"size": (3, 3), "radius": 4}),
        ):
            with self.assertRaises(error, msg=arguments):
                kostka.resize(self.array, **arguments)
        with self.assertRaises(TypeError):
            kostka._context(None).resize(self.array)
        with self.assertRaises(TypeError):
            kostka.resize(memoryview(bytes(16)).cast("f", (2, 2)), (1, 1))
        with self.assertRaises(TypeError):
            kostka.resize(memoryview(bytes(16)).cast("b", (4, 4)), (1, 1))


@unittest.skipUnless(PIL, "Pillow is not installed")
class Pillow(unittest.TestCase):
    def test_the_same_bytes(self):
        order = "auto" if int(PIL.__version__.split(".")[0]) >= 13 else "horizontal"
        filters = PIL.Image.Resampling
        for mode, channels in (("L", 1), ("RGB", 3), ("RGBA", 4)):
            picture = PIL.Image.frombytes(mode, (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT, channels)))
            for name in ("bicubic", "box", "bilinear", "hamming", "lanczos"):
                for size in ((20, 10), (100, 9), (7, 90), (130, 131)):
                    for box in (None, (3.25, 4, 50.5, 40.125)):
                        expected = picture.resize(size, filters[name.upper()], box)
                        found = kostka.resize(picture, size, filter=name, box=box, order=order)
                        self.assertEqual(bytes(found), expected.tobytes(), (mode, name, size, box))


if __name__ == "__main__":
    unittest.main()
