# SPDX-License-Identifier: BSD-2-Clause
"""Pictures in CuPy's arrays, decoded and encoded without copies to the host."""

import unittest

import kostka
import pictures

try:
    import cupy
    import numpy

    cupy.cuda.runtime.getDeviceCount()
except Exception:  # what it raises without a driver is its own
    cupy = None

WIDTH, HEIGHT = 203, 91


@unittest.skipUnless(cupy, "CuPy or its device is not there")
class Cupy(unittest.TestCase):
    def setUp(self):
        self.context = kostka.Context("cuda:0")
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        self.host = numpy.asarray(kostka.decode(self.data, device="cpu"))

    def test_decode(self):
        image = self.context.decode(self.data, memory="device")
        for array in (cupy.asarray(image), cupy.from_dlpack(image)):
            self.assertEqual(array.data.ptr, image.__cuda_array_interface__["data"][0])
            self.assertTrue((cupy.asnumpy(array) == self.host).all())

    def test_out(self):
        batch = cupy.zeros((3, HEIGHT, WIDTH, 3), cupy.uint8)
        self.context.decode_batch([self.data] * 3, out=batch)
        self.assertTrue((cupy.asnumpy(batch) == self.host).all())
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            target = cupy.full((HEIGHT, WIDTH, 3), 3, cupy.uint8)
            self.context.decode(self.data, out=target, stream=stream)
            self.assertTrue((cupy.asnumpy(target) == self.host).all())

    def test_tensors(self):
        for dtype in ("float16", "float32"):
            wanted = ((self.host.astype("float32") - cupy.float32(127.5)) * cupy.float32(1 / 64)).astype(dtype)
            batch = cupy.zeros((2, 3, HEIGHT, WIDTH), dtype)
            options = {"dtype": dtype, "layout": "CHW", "mean": 127.5, "scale": 1 / 64}
            self.context.submit([self.data] * 2, out=batch, **options).wait()
            for array in (*batch, cupy.from_dlpack(self.context.decode(self.data, memory="device", **options))):
                self.assertTrue((cupy.asnumpy(array).transpose(1, 2, 0) == wanted).all())

    def test_encode(self):
        wanted = kostka.encode(self.host)
        array = cupy.asarray(self.host)
        self.assertEqual(kostka.encode(array), wanted)
        only = pictures.Cai(**{**array.__cuda_array_interface__})
        self.assertEqual(kostka.encode(only), wanted)
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            fresh = cupy.asarray(self.host) + cupy.uint8(0)
            self.assertEqual(kostka.encode(fresh), wanted)
            self.assertEqual(kostka.encode(pictures.Cai(**fresh.__cuda_array_interface__)), wanted)
        self.assertRaises(ValueError, kostka.encode, array[:, ::2])

    def test_volumes(self):
        """Volumes become arrays of CuPy's without a copy, are decoded into a part of one, and encoded from it."""
        host = (numpy.arange(24 * 40 * 50).reshape(24, 40, 50) % 1021).astype(numpy.int16)
        data = kostka.encode_volume(host, device="cpu")
        volume = self.context.decode_volume(data, memory="device")
        for array in (cupy.asarray(volume), cupy.from_dlpack(volume)):
            self.assertEqual(array.data.ptr, volume.__cuda_array_interface__["data"][0])
            self.assertTrue((cupy.asnumpy(array) == host).all())
        large = cupy.full((30, 50, 64), -7, cupy.int16)
        part = large[3:27, 5:45, 7:57]
        self.assertIs(kostka.decode_volume(data, out=part), part)
        self.assertTrue((cupy.asnumpy(part) == host).all())
        self.assertEqual(int((large == -7).sum()), large.size - part.size)
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            fresh = cupy.asarray(host) + cupy.int16(0)
            for array in (volume, part, fresh, pictures.Cai(**fresh.__cuda_array_interface__)):
                self.assertEqual(kostka.encode_volume(array), data)
        self.assertEqual(kostka.encode_volumes([part, volume]), [data, data])
        cube = cupy.zeros((48, 40, 50), cupy.int16)
        kostka.decode_volumes([data, data], out=[cube[:24], cube[24:]])
        self.assertTrue((cupy.asnumpy(cube) == numpy.concatenate([host, host])).all())


if __name__ == "__main__":
    unittest.main()
