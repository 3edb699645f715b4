# SPDX-License-Identifier: BSD-2-Clause
"""Images as objects: indices, parts, equality, copies, pickling, and samples of every type."""

import copy
import pickle
import struct
import unittest

import kostka
import pictures
from test_arrays import Dl, open_capsule

import ctypes

WIDTH, HEIGHT = 21, 15


def signed(width, height, kind, low, high):
    """Samples over a whole range."""
    data = bytearray()
    for i in range(width * height):
        data += struct.pack(kind, low + (high - low) * i // (width * height - 1))
    return memoryview(data).cast(kind, (height, width))


class Types(unittest.TestCase):
    """Each type of sample is exported as what it is."""

    CASES = (
        ("B", "uint8", None, 0, 255, (1, 8)),
        ("b", "int8", None, -128, 127, (0, 8)),
        ("H", "uint16", None, 0, 65535, (1, 16)),
        ("h", "int16", None, -32768, 32767, (0, 16)),
        ("H", "uint16", 12, 0, 4095, (1, 16)),
        ("I", "uint32", 20, 0, 2**20 - 1, (1, 32)),
        ("i", "int32", 20, -(2**19), 2**19 - 1, (0, 32)),
        ("i", "int32", 31, -(2**30), 2**30 - 1, (0, 32)),
    )

    def test_integers(self):
        for kind, dtype, depth, low, high, dlpack in self.CASES:
            with self.subTest(kind=kind, depth=depth):
                samples = signed(WIDTH, HEIGHT, kind, low, high)
                file = kostka.encode(samples, codec="j2k", depth=depth, levels=0 if depth == 31 else 5)
                image = kostka.decode(file, device="cpu")
                view = memoryview(image)
                self.assertEqual((view.format, view.itemsize), (kind, struct.calcsize(kind)))
                self.assertEqual((view.shape, view.strides), (samples.shape, samples.strides))
                self.assertEqual(view.tobytes(), samples.tobytes())
                self.assertEqual((image.dtype, image.depth), (dtype, depth or 8 * struct.calcsize(kind)))
                self.assertEqual(image.__array_interface__["typestr"].lstrip("|<>="), f"{dtype[0]}{samples.itemsize}")
                tensor = ctypes.cast(open_capsule(image.__dlpack__()), ctypes.POINTER(Dl)).contents
                self.assertEqual((tensor.code, tensor.bits), dlpack)
                self.assertEqual(tensor.strides[:2], [WIDTH, 1])
                self.assertEqual(image[HEIGHT - 1, WIDTH - 1], high)
                self.assertEqual(image[0, 0], low)
                self.assertEqual(kostka.encode(image, codec="j2k", levels=0 if depth == 31 else 5), file)

    def test_out(self):
        samples = signed(WIDTH, HEIGHT, "i", -(2**19), 2**19 - 1)
        file = kostka.encode(samples, codec="j2k", depth=20)
        room = memoryview(bytearray(samples.nbytes)).cast("i", samples.shape)
        kostka.decode(file, out=room)
        self.assertEqual(room.tobytes(), samples.tobytes())
        self.assertRaises(TypeError, kostka.decode, file, out=room.cast("B").cast("I", samples.shape))

    def test_floats(self):
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        for dtype, kind in (("float16", "e"), ("float32", "f")):
            image = kostka.decode(data, dtype=dtype, scale=1, mean=100, device="cpu")
            self.assertEqual((memoryview(image).format, image.dtype), (kind, dtype))
            values = struct.unpack(f"{WIDTH * HEIGHT * 3}{kind}", bytes(image))
            self.assertEqual(image[3, 5], values[(3 * WIDTH + 5) * 3 :][:3])


class Indices(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        self.image = kostka.decode(self.data, device="cpu")
        self.bytes = bytes(self.image)

    def pixel(self, y, x):
        return tuple(self.bytes[(y * WIDTH + x) * 3 :][:3])

    def test_pixels(self):
        for y, x in ((0, 0), (3, 7), (HEIGHT - 1, WIDTH - 1)):
            self.assertEqual(self.image[y, x], self.pixel(y, x))
            self.assertEqual(self.image[y - HEIGHT, x - WIDTH], self.pixel(y, x))
            self.assertEqual(self.image[y, x, 1], self.pixel(y, x)[1])
            self.assertEqual(self.image[y, x, ::-1], self.pixel(y, x)[::-1])
        grey = kostka.decode(self.data, format="gray", device="cpu")
        self.assertEqual(grey[2, 3], bytes(grey)[2 * WIDTH + 3])
        self.assertEqual(len(self.image), HEIGHT)

    def test_parts(self):
        part = self.image[2:9, 5:-3]
        self.assertEqual((part.shape, part.width, part.height), ((7, WIDTH - 8, 3), WIDTH - 8, 7))
        self.assertEqual(part[1, 2], self.pixel(3, 7))
        self.assertEqual(part[1:][0, 0], self.pixel(3, 5))
        self.assertEqual(self.image[::-2][1, 4], self.pixel(HEIGHT - 3, 4))
        self.assertEqual(kostka.encode(part), kostka.encode(memoryview(part)))
        self.assertEqual(part.report, self.image.report)
        self.assertFalse(memoryview(part).c_contiguous)

    def test_parts_share_memory(self):
        part = self.image[4:, 1:]
        memoryview(self.image)[4, 1, 0] = 99
        self.assertEqual(part[0, 0, 0], 99)
        self.image = None
        self.assertEqual(part[0, 0, 0], 99)
        target = kostka.decode(kostka.encode(pictures.array(64, 64)), device="cpu")
        kostka.decode(self.data, out=target[10 : 10 + HEIGHT, 20 : 20 + WIDTH], device="cpu")
        self.assertEqual(target[10 + 3, 20 + 4], self.pixel(3, 4))

    def test_planes(self):
        planar = kostka.decode(self.data, format="planar", device="cpu")
        self.assertEqual(planar.shape, (3, HEIGHT, WIDTH))
        self.assertEqual(planar[:, 3, 4], self.pixel(3, 4))
        self.assertEqual(planar[2, 3, 4], self.pixel(3, 4)[2])
        self.assertEqual((planar[1].format, planar[-1][3, 4]), ("grey", self.pixel(3, 4)[2]))
        part = planar[:, 1:4, 2:6]
        self.assertEqual((part.shape, part[:, 2, 2]), ((3, 3, 4), self.pixel(3, 4)))
        self.assertEqual(planar[0, 1:4].shape, (3, WIDTH))

    def test_wrong(self):
        for key in ((HEIGHT, 0), (0, WIDTH), (-HEIGHT - 1, 0), (0, 0, 3), (0, 0, 0, 0)):
            with self.assertRaises(IndexError):
                self.image[key]
        for key in (0, (0, slice(None)), (slice(None), 0), "a", (slice(None), slice(0, 4, 2)), None, 1.5):
            with self.assertRaises(TypeError):
                self.image[key]
        for key in (slice(3, 3), (slice(None), slice(9, 2))):
            with self.assertRaises(ValueError):
                self.image[key]
        self.assertRaises(TypeError, iter, self.image)
        raw = kostka.decode(self.data, format="raw", device="cpu")
        self.assertRaises(TypeError, len, raw)
        with self.assertRaises(TypeError):
            raw[0, 0]

    def test_raw_planes_that_are_alike(self):
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), subsampling="4:4:4")
        raw = kostka.decode(data, format="raw", device="cpu")
        self.assertEqual(raw.shape, (3, HEIGHT, WIDTH))
        self.assertEqual(bytes(raw), b"".join(bytes(plane) for plane in raw.planes))


class Copies(unittest.TestCase):
    def setUp(self):
        self.file = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        grey = signed(WIDTH, HEIGHT, "i", -(2**19), 2**19 - 1)
        self.images = [
            kostka.decode(self.file, format=name, device="cpu")
            for name in ("rgb", "bgr", "rgba", "grey", "planar", "raw")
        ]
        self.images += [kostka.decode(self.file, dtype=name, layout="CHW") for name in ("float16", "float32")]
        self.images += [kostka.decode(kostka.encode(grey, codec="j2k", depth=20))]
        self.images += [self.images[0][2:7, 3:], self.images[4][:, ::-1], self.images[4][1]]
        six = memoryview(bytes(range(6 * 8))).cast("B", (6, 2, 4))
        self.images += [kostka.decode(kostka.encode(six, codec="j2k", format="planar"))]

    def test_equality(self):
        for image in self.images:
            self.assertTrue(image == image)
            self.assertFalse(image != image)
            self.assertFalse(image == bytes(0))
            self.assertEqual(sum(image == other for other in self.images), 1, image)
        first, second = (kostka.decode(self.file, device="cpu") for _ in range(2))
        self.assertEqual(first, second)
        memoryview(second)[HEIGHT - 1, WIDTH - 1, 2] ^= 1
        self.assertNotEqual(first, second)
        self.assertEqual(first[:-1], second[:-1])
        self.assertRaises(TypeError, hash, first)
        with self.assertRaises(TypeError):
            first < second

    def test_copies(self):
        for image in self.images:
            for made in (image.copy(), copy.copy(image), copy.deepcopy(image)):
                self.assertEqual(made, image)
                self.assertIsNot(made, image)
                self.assertEqual(repr(made), repr(image))
                self.assertEqual(made.report, image.report)
        image = self.images[0]
        made = image.copy()
        memoryview(made)[0, 0, 0] ^= 1
        self.assertNotEqual(made, image)

    def test_pickles(self):
        for image in self.images:
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                made = pickle.loads(pickle.dumps(image, protocol))
                self.assertEqual(made, image)
                self.assertEqual((made.report, made.colour, made.depth), (image.report, image.colour, image.depth))
        if memoryview(self.images[0]).c_contiguous:
            buffers = []
            data = pickle.dumps(self.images[0], 5, buffer_callback=buffers.append)
            self.assertLess(len(data), 1000)
            self.assertEqual(pickle.loads(data, buffers=buffers), self.images[0])

    def test_pickled_parts_that_lie(self):
        """Whatever a pickle says of an image, no memory beyond its own is read or written."""
        make = kostka.Context("cpu")._assemble
        self.assertEqual(make("grey", "grey", 2, 1, ((2, 1, 8, "uint8", b"ab"),), None)[0, 1], 98)
        for wrong in (
            ("grey", "grey", 2, 1, (), None),
            ("grey", "grey", 2, 1, ((2, 1, 8, "uint8", b"abc"),), None),
            ("grey", "grey", 2, 1, ((2, 1, 8, "uint8", b"a"),), None),
            ("grey", "grey", 2, 1, ((1, 2, 8, "uint8", b"ab"),), None),
            ("grey", "grey", 2, 1, ((2, 1, 9, "uint8", b"ab"),), None),
            ("grey", "grey", 2, 1, ((2, 1, 8, "uint64", b"ab"),), None),
            ("grey", "grey", 0, 1, ((0, 1, 8, "uint8", b""),), None),
            ("auto", "grey", 2, 1, ((2, 1, 8, "uint8", b"ab"),), None),
            ("rgb", "grey", 2, 1, ((2, 1, 8, "uint8", b"ab"),), None),
            ("planar", "rgb", 1, 1, ((1, 1, 8, "uint8", b"a"),) * 5, None),
            ("raw", "rgb", 1, 1, ((2**31 - 1, 2**31 - 1, 8, "uint8", b"a"),), None),
        ):
            with self.subTest(wrong=wrong):
                self.assertRaises((ValueError, kostka.KostkaError), make, *wrong)
        self.assertRaises(TypeError, make, "grey", "grey", 2, 1, ((2, 1, 8, "uint8", b"ab"),), "report")

    def test_errors_are_pickled(self):
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode(b"no picture")
        made = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(
            (made.status, made.offset, made.report, str(made)),
            (caught.exception.status, caught.exception.offset, caught.exception.report, str(caught.exception)),
        )

    def test_repr(self):
        self.assertEqual(repr(self.images[0]), f"<kostka.Image rgb {WIDTH}x{HEIGHT} uint8 in host memory>")


if __name__ == "__main__":
    unittest.main()
