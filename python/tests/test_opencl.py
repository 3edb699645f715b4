# SPDX-License-Identifier: BSD-2-Clause
"""Pictures in an OpenCL device's memory: PoCL's, where there is no GPU."""

import os
import tempfile
import unittest
import unittest.mock

import kostka
import pictures

WIDTH, HEIGHT = 52, 36


@unittest.skipUnless(any(device.kind == "opencl" for device in kostka.devices()), "no OpenCL device")
class OpenCl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = kostka.Context("opencl:0")

    @classmethod
    def tearDownClass(cls):
        cls.context = None

    def test_device_memory(self):
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        host = kostka.decode(data, device="cpu")
        self.assertEqual(bytes(self.context.decode(data)), bytes(host))
        image = self.context.decode(data, memory="device")
        self.assertEqual((image.memory, image.shape), ("opencl", host.shape))
        self.assertEqual(image.__dlpack_device__(), (4, 0))
        self.assertRaises(BufferError, memoryview, image)
        self.assertFalse(hasattr(image, "__cuda_array_interface__"))
        wanted = kostka.encode(host, device="cpu")
        self.assertEqual(self.context.encode(image), wanted)
        self.assertEqual(kostka.encode(image), wanted)
        again = self.context.decode(data, out=image)
        self.assertEqual(self.context.encode(again), wanted)
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.encode(image, device="cpu")
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")
        planar = self.context.decode(data, format="planar", memory="device")
        self.assertEqual(self.context.encode(planar), wanted)
        grey = self.context.encode(planar.planes[1])
        self.assertEqual(grey, kostka.encode(kostka.decode(data, format="planar").planes[1], device="cpu"))

    def test_volumes(self):
        """Volumes in the device's memory: decoded there, parts of them and reduced ones, encoded from there, decoded into."""
        array = memoryview(bytes((x * y + z) % 251 for z in range(12) for y in range(18) for x in range(22)))
        array = array.cast("B", (12, 18, 22))
        data = kostka.encode_volume(array, levels=2, device="cpu")
        volume = self.context.decode_volume(data, memory="device")
        self.assertIsInstance(volume, kostka.Volume)
        self.assertEqual((volume.memory, volume.dtype, volume.depth), ("opencl", "uint8", 8))
        self.assertEqual((volume.shape, volume.strides, len(volume)), ((12, 18, 22), (18 * 22, 22, 1), 12))
        self.assertEqual(repr(volume), "<kostka.Volume (12, 18, 22) uint8 in opencl memory>")
        self.assertEqual((volume.__dlpack_device__(), volume.context), ((4, 0), self.context))
        self.assertEqual(volume.report.stage_device["pixels"], "opencl")
        self.assertRaises(BufferError, memoryview, volume)
        for name in ("__cuda_array_interface__", "__array_interface__"):
            self.assertFalse(hasattr(volume, name))
        # The volume is read by its own device alone, and its samples are those of the array.
        self.assertEqual(kostka.encode_volume(volume, levels=2), data)
        self.assertEqual(kostka.encode_volumes([volume, volume], levels=2), [data, data])
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.encode_volume(volume, device="cpu")
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")
        for options in ({"region": ((3, 4, 5), (6, 7, 8))}, {"reduce": 1, "reduce_z": 1}):
            wanted = kostka.decode_volume(data, device="cpu", **options)
            part = self.context.decode_volume(data, memory="device", **options)
            self.assertEqual(part.shape, wanted.shape)
            self.assertEqual(kostka.encode_volume(part, levels=1), kostka.encode_volume(wanted, levels=1, device="cpu"))
        again = self.context.decode_volume(data, memory="device")
        darker = memoryview(bytes(sample // 2 for sample in array.tobytes())).cast("B", array.shape)
        other = kostka.encode_volume(darker, levels=2, device="cpu")
        self.assertIs(kostka.decode_volume(other, out=again), again)
        self.assertEqual(kostka.encode_volume(again, levels=2), other)
        for memory in ("device", "host"):
            many = self.context.decode_volumes([data, other, data], memory=memory)
            self.assertEqual(self.context.encode_volumes(many, levels=2), [data, other, data])
        targets = [again, volume]
        self.assertEqual(kostka.decode_volumes([data, other], out=targets), targets)
        self.assertEqual(kostka.encode_volumes(targets, levels=2), [data, other])
        smaller = kostka.encode_volume(array[:6], device="cpu")
        self.assertRaises(ValueError, kostka.decode_volume, smaller, out=again)

    def test_pinned_volumes(self):
        array = memoryview(bytes(range(240))).cast("B", (4, 6, 10))
        volume = self.context.decode_volume(kostka.encode_volume(array), memory="pinned")
        self.assertEqual((volume.memory, memoryview(volume)), ("pinned", array))
        self.assertEqual(kostka.encode_volume(volume), kostka.encode_volume(array))

    def test_tensors(self):
        data = [kostka.encode(pictures.array(WIDTH + i, HEIGHT, seed=i), device="cpu") for i in range(3)]
        options = {"size": (20, 16), "boxes": [None, (3.5, 4, 40, 30.25), None], "mirror": [True, False, False]}
        wanted = kostka._context("cpu").decode_resized(data, **options)
        self.assertEqual(bytes(self.context.decode_resized(data, **options)), bytes(wanted))
        options["boxes"].append(None)
        options["mirror"].append(True)
        tensor = self.context.decode_resized([*data, b"none"], memory="device", errors="return", **options)
        self.assertEqual((tensor.memory, tensor.__dlpack_device__(), list(tensor.errors)), ("opencl", (4, 0), [3]))
        self.assertRaises(BufferError, memoryview, tensor)
        for i in range(3):
            self.assertEqual(self.context.encode(tensor[i]), kostka.encode(wanted[i], device="cpu"))
        self.assertEqual(self.context.encode(tensor[1:3][1]), kostka.encode(wanted[2], device="cpu"))

    def test_loader(self):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(5):
                kostka.save(os.path.join(folder, f"{i}.jpg"), pictures.array(WIDTH, HEIGHT, seed=i), device="cpu")
            options = {"batch_size": 3, "crop": "random", "flip": True, "dtype": "float16"}
            wanted = [bytes(batch.images) for batch in kostka.Loader(folder, 16, device="cpu", **options)]
            found = kostka.Loader(folder, 16, device=self.context, memory="host", **options)
            self.assertEqual([bytes(batch.images) for batch in found], wanted)
            held = [batch.images for batch in kostka.Loader(folder, 16, device=self.context, **options)]
            self.assertEqual([tensor.memory for tensor in held], ["opencl"] * 2)

    def test_flow(self):
        """Images of a flow stay in the device's memory, resized or not."""
        data = [kostka.encode(pictures.array(WIDTH + i, HEIGHT, seed=i), device="cpu") for i in range(3)]
        for resize in (None, {"size": (31, 17), "filter": "lanczos"}):
            options = {"decode": {"memory": "device"}, "devices": "opencl:0,cpu"}
            if resize:
                options["resize"] = resize
            images = list(kostka.flow(data, **options))
            self.assertEqual([image.memory for image in images], ["opencl"] * 3)
            for image, stream in zip(images, data):
                wanted = kostka.decode(stream, device="cpu")
                if resize:
                    wanted = kostka.resize(wanted, device="cpu", **resize)
                self.assertEqual(image.shape, wanted.shape)
                self.assertEqual(kostka.encode(image), kostka.encode(wanted, device="cpu"))

    def test_coder(self):
        """Between decoding and encoding a coder leaves images where the device has them."""
        data = [kostka.encode(pictures.array(WIDTH + i, HEIGHT, seed=i), device="cpu") for i in range(3)]
        wanted = kostka.Coder(encode={"quality": 80}, device="cpu")(data)
        with unittest.mock.patch.object(kostka, "encode_batch", wraps=kostka.encode_batch) as encode_batch:
            coder = kostka.Coder(encode={"quality": 80}, device="opencl:0")
            found = coder([*data, b"none"])
        self.assertEqual((found[:3], type(found[3])), (wanted, kostka.StreamError))
        self.assertEqual([image.memory for image in encode_batch.call_args.args[0]], ["opencl"] * 3)
        images = kostka.Coder(device="opencl:0")(data)
        self.assertEqual([image.memory for image in images], ["host"] * 3)

    def test_resize(self):
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        host = kostka.decode(data, device="cpu")
        image = self.context.decode(data, memory="device")
        options = {"size": (31, 17), "filter": "lanczos", "box": (3.5, 2, 40, 30.25), "mirror": True}
        wanted = kostka.resize(host, device="cpu", **options)
        small = kostka.resize(image, **options)
        self.assertEqual((small.memory, small.shape), ("opencl", wanted.shape))
        self.assertEqual(small.report.stage_device["resize"], "opencl")
        self.assertEqual(kostka.encode(small), kostka.encode(wanted, device="cpu"))
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.resize(image, device="cpu", **options)
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")

    def test_batch(self):
        streams = [kostka.encode(pictures.array(WIDTH, HEIGHT, seed=seed), device="cpu") for seed in range(3)]
        images = kostka.decode_batch(streams + [b"x"], device=self.context, memory="device", errors="return")
        self.assertIsInstance(images.pop(), kostka.KostkaError)
        wanted = kostka.encode_batch(kostka.decode_batch(streams, device="cpu"), device="cpu")
        self.assertEqual(kostka.encode_batch(images), wanted)


if __name__ == "__main__":
    unittest.main()
