# SPDX-License-Identifier: BSD-2-Clause
"""Whatever is passed: an exception of the right kind, before work begins."""

import unittest

import kostka
import pictures
from pictures import Cai, Dlpack

WIDTH, HEIGHT = 16, 16


def shaped(shape, kind="B"):
    size = 1
    for side in shape:
        size *= side
    item = memoryview(bytearray(16)).cast(kind).itemsize
    return memoryview(bytearray(size * item)).cast(kind, shape)


class Misuse(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        self.context = kostka.Context("cpu", threads=1)

    def test_data(self):
        for wrong in (None, 1, [1, 2], object()):
            self.assertRaises(TypeError, self.context.decode, wrong)
            self.assertRaises(TypeError, self.context.info, wrong)
            self.assertRaises(TypeError, self.context.transcode, wrong)
            self.assertRaises(TypeError, self.context.decode_batch, [self.data, wrong])
        for wrong in (None, 1, "text", self.data):
            self.assertRaises(TypeError, self.context.decode_batch, wrong)
            self.assertRaises(TypeError, self.context.encode_batch, wrong)
        self.assertRaises(BufferError, self.context.decode, memoryview(self.data)[::2])
        self.assertRaises(TypeError, self.context.decode)
        self.assertRaises(TypeError, self.context.decode, self.data, self.data)
        self.assertRaises(TypeError, self.context.decode, self.data, colour="red")

    def test_decode_options(self):
        for name, wrong, kinds in (
            ("format", "yuv", ValueError),
            ("format", 1, TypeError),
            ("reduce", -1, ValueError),
            ("reduce", 9, kostka.KostkaError),
            ("reduce", 99, ValueError),
            ("reduce", 2**40, ValueError),
            ("reduce", "1", TypeError),
            ("alpha", 256, ValueError),
            ("memory", "attic", ValueError),
            ("region", (0, 0, 1), ValueError),
            ("region", (0, 0, 0, 0), ValueError),
            ("region", (0, 0, -1, 1), ValueError),
            ("region", (0, 0, 2**33, 1), ValueError),
            ("region", (0, 0, "1", 1), TypeError),
            ("region", 7, TypeError),
            ("region", (10, 10, 10, 10), kostka.KostkaError),
            ("stream", "main", TypeError),
            ("stream", object(), TypeError),
            ("stream", 1, kostka.KostkaError),
        ):
            with self.subTest(name=name, wrong=wrong):
                with self.assertRaises(kinds) as caught:
                    self.context.decode(self.data, **{name: wrong})
                if kinds in (ValueError, TypeError) and name != "stream":
                    self.assertIn(name, str(caught.exception))
                self.assertRaises(kinds, self.context.decode_batch, [self.data], errors="raise", **{name: wrong})
        self.assertRaises(ValueError, self.context.decode_batch, [self.data], errors="ignore")

    def test_out(self):
        for wrong, kinds in (
            (b"\0" * 768, (BufferError, ValueError)),
            (memoryview(b"\0" * 768).cast("B", (16, 16, 3)), (BufferError, ValueError)),
            (bytearray(768), ValueError),
            (shaped((16, 16)), ValueError),
            (shaped((16, 17, 3)), ValueError),
            (shaped((3, 16, 16)), ValueError),
            (shaped((16, 16, 4)), ValueError),
            (shaped((1, 16, 16, 3)), ValueError),
            (shaped((16, 16, 3), "H"), TypeError),
            (shaped((16, 16, 3), "b"), TypeError),
            (shaped((16, 16, 3), "f"), TypeError),
            (shaped((16, 16, 3), "?"), TypeError),
            (object(), TypeError),
            (7, TypeError),
            ([], TypeError),
        ):
            with self.subTest(wrong=wrong):
                self.assertRaises(kinds, self.context.decode, self.data, out=wrong)
                self.assertRaises(kinds, self.context.decode_batch, [self.data], out=[wrong])
        self.assertRaises(ValueError, self.context.decode, self.data, format="raw", out=shaped((16, 16, 3)))
        self.assertRaises(TypeError, self.context.decode_batch, [self.data], out=3)

    def test_encode(self):
        for wrong, kinds in (
            (b"\0" * 768, ValueError),
            (shaped((16, 16, 2)), ValueError),
            (shaped((16, 16, 5)), ValueError),
            (shaped((16, 16, 3, 1)), ValueError),
            (shaped((16, 16, 3), "H"), TypeError),
            (shaped((16, 16, 3), "d"), TypeError),
            (shaped((16, 16, 3), "b"), TypeError),
            (memoryview(b"").cast("B"), ValueError),
            (None, TypeError),
            ("text", TypeError),
        ):
            with self.subTest(wrong=wrong):
                self.assertRaises(kinds, self.context.encode, wrong)
                self.assertRaises(kinds, self.context.encode_batch, [wrong])
        fine = shaped((16, 16, 3))
        for name, wrong, kinds in (
            ("quality", 0, kostka.KostkaError),
            ("quality", 101, kostka.KostkaError),
            ("quality", "high", TypeError),
            ("subsampling", "421", ValueError),
            ("coding", "arithmetic", ValueError),
            ("colour", "pink", ValueError),
            ("colour", "cmyk", kostka.KostkaError),
            ("format", "rgba", ValueError),
            ("format", "planar", kostka.KostkaError),
            ("format", "raw", ValueError),
            ("icc", "text", TypeError),
            ("exif", 3, TypeError),
            ("stream", "s", TypeError),
        ):
            with self.subTest(name=name, wrong=wrong):
                array = shaped((2, 16, 16)) if wrong == "planar" else fine
                self.assertRaises(kinds, self.context.encode, array, **{name: wrong})

    def test_devices_that_are_not_the_contexts(self):
        """Without a copy behind one's back."""
        foreign = Cai(version=3)
        with self.assertRaises(kostka.KostkaError) as caught:
            self.context.decode(self.data, out=foreign)
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")
        for device in ((8, 0), (10, 0), (7, 0), (-1, 0), (99, 99)):
            self.assertRaises(BufferError, self.context.encode, Dlpack(device, None))
            self.assertRaises(BufferError, self.context.decode, self.data, out=Dlpack(device, None))

    def test_broken_dlpack(self):
        for device in (None, 1, (1,), (1, 2, 3), ("cpu", 0), (1, "0")):
            self.assertRaises(TypeError, self.context.encode, Dlpack(device, None))
        for capsule in (None, 1, object()):
            self.assertRaises(BufferError, self.context.encode, Dlpack((1, 0), capsule))
        self.assertRaises(KeyError, self.context.encode, Dlpack((1, 0), KeyError("mine")))
        self.assertRaises(TypeError, self.context.encode, Dlpack((1, 0), TypeError("mine")))

    def test_broken_cuda_interface(self):
        for members in (
            {"shape": None},
            {"shape": [16, 16, 3]},
            {"shape": (16, "16", 3)},
            {"shape": (16, 0, 3)},
            {"shape": (16, 2**40, 3)},
            {"shape": (16, -16, 3)},
            {"typestr": None},
            {"typestr": "<f4"},
            {"typestr": 1},
            {"typestr": "|u1\0"},
            {"data": None},
            {"data": (0, False)},
            {"data": (1,)},
            {"data": ("1", False)},
            {"data": 4096},
            {"strides": (48,)},
            {"strides": (48, 3, "1")},
            {"strides": [48, 3, 1]},
            {"mask": object()},
            {"version": "3"},
            {"stream": "main"},
        ):
            with self.subTest(members=members):
                self.assertRaises((TypeError, ValueError), self.context.decode, self.data, out=Cai(**members))
        self.assertRaises(ValueError, self.context.encode, Cai(shape=(768,)))
        self.assertRaises(ValueError, self.context.decode, self.data, out=Cai(data=(4096, True)))
        broken = Cai()
        broken.__cuda_array_interface__ = 5
        self.assertRaises(TypeError, self.context.encode, broken)

    def test_cuda_before_the_buffer(self):
        """CuPy's arrays have a buffer protocol too, which raises."""

        class Both(bytearray):
            __cuda_array_interface__ = Cai().__cuda_array_interface__

        with self.assertRaises(kostka.KostkaError) as caught:
            self.context.decode(self.data, out=Both(768))
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")

    def test_attributes_that_raise(self):
        class Trap:
            @property
            def __dlpack__(self):
                raise RuntimeError("trap")

        self.assertRaises(RuntimeError, self.context.encode, Trap())


if __name__ == "__main__":
    unittest.main()
