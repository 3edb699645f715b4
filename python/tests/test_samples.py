# SPDX-License-Identifier: BSD-2-Clause
"""Batches of floating-point samples in one tensor."""

import struct
import unittest

import kostka
import pictures

try:
    import numpy
except ImportError:
    numpy = None

WIDTH, HEIGHT = 37, 22
MEAN, SCALE = (123.675, 116.28, 103.53), (0.017, 0.0175, 0.018)


class Samples(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        self.bytes = bytes(kostka.decode(self.data, device="cpu"))

    def test_values(self):
        for device in kostka.devices():
            image = kostka.decode(self.data, device=device.name, dtype="float32")
            self.assertEqual((image.shape, memoryview(image).format), ((HEIGHT, WIDTH, 3), "f"))
            one = struct.unpack("f", struct.pack("f", 1 / 255))[0]
            wanted = [struct.unpack("f", struct.pack("f", value * one))[0] for value in self.bytes]
            self.assertEqual(list(struct.unpack(f"{len(wanted)}f", bytes(image))), wanted)

    def test_half(self):
        for device in kostka.devices():
            image = kostka.decode(self.data, device=device.name, dtype="float16", scale=1, layout="CHW")
            self.assertEqual((image.shape, memoryview(image).format), ((3, HEIGHT, WIDTH), "e"))
            values = struct.unpack(f"{len(self.bytes)}e", bytes(image))
            planes = [self.bytes[c::3] for c in range(3)]
            self.assertEqual([int(value) for value in values], list(b"".join(planes)))

    def test_words(self):
        for wrong in (
            {"dtype": "float64"},
            {"layout": "CWH"},
            {"layout": "CHW", "format": "rgb"},
            {"mean": 3},
            {"dtype": "float32", "mean": ()},
            {"dtype": "float32", "mean": (1, 2, 3, 4, 5)},
            {"layers": -1},
        ):
            with self.subTest(wrong=wrong):
                self.assertRaises(ValueError, kostka.decode, self.data, **wrong)
        self.assertRaises(TypeError, kostka.decode, self.data, dtype="float32", scale="much")
        for wrong in ({"mean": float("nan")}, {"scale": 1e30}, {"format": "raw"}):
            with self.assertRaises(kostka.KostkaError) as caught:
                kostka.decode(self.data, dtype="float32", **wrong)
            self.assertEqual(caught.exception.status, "ERROR_OPTIONS")

    def test_wrong_array(self):
        room = bytearray(WIDTH * HEIGHT * 3 * 4)
        array = memoryview(room).cast("f", (HEIGHT, WIDTH, 3))
        self.assertRaises(TypeError, kostka.decode, self.data, out=array)
        self.assertRaises(TypeError, kostka.decode, self.data, out=array, dtype="float16")
        self.assertRaises(ValueError, kostka.decode, self.data, out=array, dtype="float32", layout="CHW")
        self.assertRaises(TypeError, kostka.encode, array)
        self.assertEqual(bytes(room), bytes(len(room)))
        kostka.decode(self.data, out=array, dtype="float32", scale=1)
        self.assertEqual([int(value) for value in struct.unpack(f"{len(self.bytes)}f", room)], list(self.bytes))


@unittest.skipUnless(numpy, "NumPy is not installed")
class Tensors(unittest.TestCase):
    def test_batch(self):
        """A batch of one size in a tensor with gaps, as models take it, on all devices."""
        files = [kostka.encode(pictures.array(WIDTH, HEIGHT, seed=i), device="cpu") for i in range(4)]
        pixels = numpy.stack([numpy.asarray(kostka.decode(file, device="cpu")) for file in files])
        for dtype in ("float16", "float32"):
            mean, scale = (numpy.array(values, numpy.float32) for values in (MEAN, SCALE))
            wanted = ((pixels.astype(numpy.float32) - mean) * scale).astype(dtype).transpose(0, 3, 1, 2)
            for device in kostka.devices():
                for tensor in (
                    numpy.zeros((4, 3, HEIGHT, WIDTH), dtype),
                    numpy.zeros((4, 5, HEIGHT + 3, WIDTH + 9), dtype)[:, 1:4, 2:-1, 3:-6],
                ):
                    kostka.decode_batch(
                        files, out=tensor, device=device.name, dtype=dtype, layout="NCHW", mean=MEAN, scale=SCALE
                    )
                    self.assertEqual(tensor.tobytes(), wanted.tobytes())

    def test_other_size(self):
        files = [kostka.encode(pictures.array(width, HEIGHT), device="cpu") for width in (WIDTH, WIDTH + 1)]
        tensor = numpy.zeros((2, HEIGHT, WIDTH, 3), numpy.float32)
        self.assertRaises(ValueError, kostka.decode_batch, files, out=tensor, dtype="float32")
        self.assertFalse(tensor.any())

    def test_from_dlpack(self):
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        for dtype in ("float16", "float32"):
            image = kostka.decode(data, device="cpu", dtype=dtype)
            for array in (numpy.asarray(image), numpy.from_dlpack(image)):
                self.assertEqual((array.dtype, array.shape), (numpy.dtype(dtype), (HEIGHT, WIDTH, 3)))
                self.assertEqual(array.tobytes(), bytes(image))


if __name__ == "__main__":
    unittest.main()
