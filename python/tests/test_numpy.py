# SPDX-License-Identifier: BSD-2-Clause
"""Images as NumPy's arrays, and arrays as images."""

import unittest

import kostka
import pictures

try:
    import numpy
except ImportError:
    numpy = None

WIDTH, HEIGHT = 61, 43


@unittest.skipUnless(numpy, "NumPy is not installed")
class Numpy(unittest.TestCase):
    def setUp(self):
        self.pixels = numpy.array(pictures.array(WIDTH, HEIGHT))
        self.data = kostka.encode(self.pixels, device="cpu")
        self.image = kostka.decode(self.data, device="cpu")

    def test_no_copy(self):
        address = self.image.__array_interface__["data"][0]
        for array in (numpy.asarray(self.image), numpy.from_dlpack(self.image), numpy.array(self.image, copy=False)):
            self.assertEqual(array.__array_interface__["data"][0], address)
            self.assertEqual((array.shape, array.dtype), ((HEIGHT, WIDTH, 3), numpy.uint8))

    def test_arrays_outlive_the_image(self):
        arrays = [numpy.asarray(self.image), numpy.from_dlpack(self.image)]
        wanted = arrays[0].copy()
        self.image = None
        for array in arrays:
            self.assertTrue((array == wanted).all())

    def test_volumes(self):
        """Parts of larger arrays are encoded and decoded into where they are; so is what has DLPack alone."""
        large = (numpy.arange(9 * 14 * 20).reshape(9, 14, 20) % 113).astype(numpy.int16)
        for part in (large[2:8, 3:11, 4:17], large[::2, ::3], large[5:6, :, 3:], large[:, 4:5]):
            data = kostka.encode_volume(part)
            self.assertEqual(data, kostka.encode_volume(part.copy()))
            self.assertEqual(data, kostka.encode_volume(pictures.Dlpack(part.__dlpack_device__(), part.__dlpack__())))
            array = numpy.asarray(kostka.decode_volume(data))
            self.assertEqual((array.dtype, array.tolist()), (part.dtype, part.tolist()))
            target = numpy.full((12, 18, 24), -7, numpy.int16)
            into = target[tuple(slice(1, 1 + side) for side in part.shape)]
            self.assertIs(kostka.decode_volume(data, out=into), into)
            self.assertEqual((into == part).all(), True)
            self.assertEqual((target == -7).sum(), target.size - part.size)
        for wrong in (large[:, :, ::2], large[::-1], large.transpose(2, 1, 0), large[:, :0]):
            self.assertRaises((TypeError, ValueError), kostka.encode_volume, wrong)
        for dtype in (numpy.float64, numpy.float16, numpy.int64, bool, ">i2"):
            self.assertRaises(TypeError, kostka.encode_volume, large.astype(dtype), bits=8)
        floats = large.astype(numpy.float32)[:, 1:7, 2:]
        self.assertEqual(kostka.encode_volume(floats, bits=9), kostka.encode_volume(floats.copy(), bits=9))

    def test_planes(self):
        planar = numpy.asarray(kostka.decode(self.data, format="planar"))
        self.assertTrue((planar == numpy.asarray(self.image).transpose(2, 0, 1)).all())

    def test_rows_that_are_apart(self):
        for rows in (self.pixels[::2], self.pixels[::-1], self.pixels[:, 5:50], self.pixels[3:9, :7], self.pixels[4:5]):
            self.assertEqual(kostka.encode(rows), kostka.encode(numpy.ascontiguousarray(rows)))
        grey = numpy.ascontiguousarray(self.pixels[..., 1])
        self.assertEqual(kostka.encode(grey[:, 3:]), kostka.encode(grey[:, 3:].copy()))
        planes = numpy.ascontiguousarray(self.pixels.transpose(2, 0, 1))
        self.assertEqual(kostka.encode(planes, format="planar"), self.data)
        cut = planes[:, 2:30, 3:44]
        self.assertEqual(kostka.encode(cut, format="planar"), kostka.encode(cut.copy(), format="planar"))
        self.assertEqual(
            kostka.encode(planes[::-1], format="planar"), kostka.encode(planes[::-1].copy(), format="planar")
        )

    def test_samples_that_are_apart(self):
        for wrong in (
            self.pixels[:, ::2],
            self.pixels[..., ::-1],
            self.pixels[..., :2][..., :1].repeat(2, 2)[..., ::2].transpose(1, 0, 2),
            self.pixels.transpose(1, 0, 2),
            self.pixels[..., 0],
            numpy.asfortranarray(self.pixels),
            numpy.broadcast_to(self.pixels[:1, :1], self.pixels.shape),
        ):
            with self.assertRaises(ValueError) as caught:
                kostka.encode(wrong)
            self.assertIn("contiguous copy", str(caught.exception))

    def test_rows_that_overlap(self):
        wrong = numpy.lib.stride_tricks.as_strided(self.pixels, strides=(3, 3, 1))
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.encode(wrong)
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_PITCH")

    def test_types(self):
        for kind in ("int8", "uint16", ">u2", "float32", "bool", "int64", "object", "S1", "M8[s]"):
            with self.subTest(kind=kind):
                self.assertRaises(
                    (TypeError, ValueError, BufferError), kostka.encode, numpy.zeros((8, 8, 3), numpy.dtype(kind))
                )
        for shape in ((0, 8, 3), (8, 0), (8,), (), (1, 8, 8, 3)):
            self.assertRaises(ValueError, kostka.encode, numpy.zeros(shape, numpy.uint8))

    def test_out(self):
        batch = numpy.zeros((2, HEIGHT, WIDTH, 3), numpy.uint8)
        kostka.decode_batch([self.data] * 2, out=batch)
        self.assertTrue((batch == numpy.asarray(self.image)).all())
        frame = numpy.zeros((HEIGHT + 10, WIDTH + 8, 3), numpy.uint8)
        kostka.decode(self.data, out=frame[5:-5, 4:-4])
        self.assertTrue((frame[5:-5, 4:-4] == batch[0]).all())
        frame[5:-5, 4:-4] = 0
        self.assertEqual(frame.max(), 0)
        upwards = numpy.zeros_like(batch[0])
        kostka.decode(self.data, out=upwards[::-1])
        self.assertTrue((upwards[::-1] == batch[0]).all())

    def test_wrong_out(self):
        good = numpy.zeros((HEIGHT, WIDTH, 3), numpy.uint8)
        good.flags.writeable = False
        self.assertRaises((ValueError, BufferError), kostka.decode, self.data, out=good)
        for wrong in (numpy.zeros((HEIGHT, WIDTH, 6), numpy.uint8)[..., ::2], numpy.zeros((WIDTH, HEIGHT, 3), "u1")):
            self.assertRaises(ValueError, kostka.decode, self.data, out=wrong)
            self.assertEqual(wrong.max(), 0)

    def test_encode_batch(self):
        batch = numpy.stack([self.pixels, self.pixels[::-1]])
        self.assertEqual(kostka.encode_batch(batch), [kostka.encode(one) for one in batch])


if __name__ == "__main__":
    unittest.main()
