# SPDX-License-Identifier: BSD-2-Clause
"""PyTorch's tensors: on the host, and with CUDA where both have it."""

import gc
import os
import tempfile
import unittest

import kostka
import pictures

try:
    import torch
except ImportError:
    torch = None

WIDTH, HEIGHT = 253, 187


def has_cuda():
    return torch and torch.cuda.is_available() and any(device.kind == "cuda" for device in kostka.devices())


@unittest.skipUnless(torch, "PyTorch is not installed")
class OnHost(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        self.image = kostka.decode(self.data, device="cpu")

    def test_no_copy(self):
        tensor = torch.from_dlpack(self.image)
        self.assertEqual(tensor.data_ptr(), self.image.__array_interface__["data"][0])
        wanted = bytes(self.image)
        self.image = None
        gc.collect()
        self.assertEqual(bytes(tensor.flatten().tolist()), wanted)

    def test_encode_and_out(self):
        tensor = torch.from_dlpack(self.image)
        self.assertEqual(kostka.encode(tensor), kostka.encode(self.image))
        self.assertEqual(kostka.encode(tensor[::2]), kostka.encode(tensor[::2].clone()))
        batch = torch.zeros((2, HEIGHT, WIDTH, 3), dtype=torch.uint8)
        kostka.decode_batch([self.data] * 2, out=batch)
        self.assertTrue(torch.equal(batch[1], tensor))
        for wrong in (batch[0].float(), batch[0, :, ::2], batch):
            self.assertRaises((TypeError, ValueError), kostka.decode, self.data, out=wrong)


@unittest.skipUnless(torch, "PyTorch is not installed")
class Loading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for i in range(10):
            os.makedirs(os.path.join(self.folder, str(i % 2)), exist_ok=True)
            kostka.save(os.path.join(self.folder, str(i % 2), f"{i}.jpg"), pictures.array(40 + i, 50, seed=i))

    def check(self, device, **options):
        import kostka.torch

        options = {"batch_size": 4, "dtype": "float16", "mean": 127, "std": (60, 61, 62), "shuffle": True, **options}
        plain = kostka.Loader(self.folder, 24, device="cpu", **options)
        loader = kostka.torch.Loader(self.folder, 24, device=device, **options)
        batches = list(loader)
        self.assertEqual([len(batch) for batch in batches], [4, 4, 2])
        for batch, other in zip(batches, plain, strict=True):
            images, labels = batch
            self.assertEqual((images.dtype, images.device.type), (torch.float16, torch.device(device).type))
            self.assertTrue(torch.equal(images.cpu(), torch.from_dlpack(other.images)))
            self.assertEqual((labels.dtype, labels.device), (torch.int64, images.device))
            self.assertEqual((labels.tolist(), batch.keys), (other.labels, other.keys))

    def test_on_host(self):
        self.check("cpu")
        self.check(torch.device("cpu"), layout="NHWC", format="grey", std=3, crop="random", flip=True)

    @unittest.skipUnless(has_cuda(), "no CUDA device for both PyTorch and Kostka")
    def test_with_cuda(self):
        self.check("cuda")
        self.check(torch.device("cuda:0"), layout="NHWC", format="grey", std=3, crop="random", flip=True)

    def test_shard_of_a_group(self):
        import torch.distributed

        store = torch.distributed.FileStore(os.path.join(self.folder, "store"), 1)
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        self.assertEqual(len(kostka.Loader(self.folder, 8, shard="auto", device="cpu")), 1)


@unittest.skipUnless(has_cuda(), "no CUDA device for both PyTorch and Kostka")
class WithCuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = kostka.Context("cuda:0")

    @classmethod
    def tearDownClass(cls):
        cls.context = None

    def setUp(self):
        self.data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu", quality=90)
        self.host = torch.from_dlpack(kostka.decode(self.data, device="cpu"))

    def test_decode(self):
        for name in ("rgb", "bgr", "rgba", "grey", "planar"):
            image = self.context.decode(self.data, format=name, memory="device")
            self.assertEqual((image.memory, image.__dlpack_device__()), ("cuda", (2, 0)))
            self.assertRaises(BufferError, memoryview, image)
            self.assertFalse(hasattr(image, "__array_interface__"))
            tensor = torch.from_dlpack(image)
            other = torch.as_tensor(image, device="cuda:0")
            self.assertEqual(tensor.data_ptr(), image.__cuda_array_interface__["data"][0])
            wanted = torch.from_dlpack(kostka.decode(self.data, device="cpu", format=name))
            self.assertTrue(torch.equal(tensor.cpu(), wanted))
            self.assertTrue(torch.equal(other.cpu(), wanted))

    def test_tensors_outlive_images(self):
        """The pool does not take the memory back while a kernel may read it."""
        results = []
        for _ in range(50):
            tensor = torch.from_dlpack(self.context.decode(self.data, memory="device"))
            results.append(tensor.clone())
            del tensor
        torch.cuda.synchronize()
        self.assertTrue(all(torch.equal(result.cpu(), self.host) for result in results))

    def test_raw_planes(self):
        image = self.context.decode(self.data, format="raw", memory="device")
        wanted = kostka.decode(self.data, device="cpu", format="raw")
        for plane, host in zip(image.planes, wanted.planes):
            self.assertTrue(torch.equal(torch.from_dlpack(plane).cpu(), torch.from_dlpack(host)))

    def test_out(self):
        batch = torch.zeros((4, HEIGHT, WIDTH, 3), dtype=torch.uint8, device="cuda:0")
        images = kostka.decode_batch([self.data] * 4, out=batch)
        self.assertEqual(images[0].report.device, "cuda:0")
        for tensor in batch:
            self.assertTrue(torch.equal(tensor.cpu(), self.host))
        planar = torch.zeros((3, HEIGHT, WIDTH), dtype=torch.uint8, device="cuda:0")
        kostka.decode(self.data, format="planar", out=planar)
        self.assertTrue(torch.equal(planar.permute(1, 2, 0).cpu(), self.host))
        frame = torch.zeros((HEIGHT + 6, WIDTH + 7, 3), dtype=torch.uint8, device="cuda:0")
        kostka.decode(self.data, out=frame[3:-3, 3:-4])
        self.assertTrue(torch.equal(frame[3:-3, 3:-4].cpu(), self.host))
        frame[3:-3, 3:-4] = 0
        self.assertEqual(int(frame.max()), 0)

    def test_out_follows_the_stream(self):
        """Work that was put into the stream earlier is done earlier, even if it takes long."""
        target = torch.zeros((HEIGHT, WIDTH, 3), dtype=torch.uint8, device="cuda:0")
        for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(200_000_000)
                target.fill_(9)
                self.context.decode(self.data, out=target, stream=stream)
                self.assertTrue(torch.equal(target.cpu(), self.host))
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.cuda._sleep(200_000_000)
            target.fill_(9)
            self.context.decode(self.data, out=target)
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(target.cpu(), self.host))

    def test_tensors(self):
        """float16 and float32, channels first, of an odd width, normalised as PyTorch does it in the same order."""
        mean, scale = (123.675, 116.28, 103.53), (0.017, 0.0175, 0.018)
        for dtype in (torch.float16, torch.float32):
            name = str(dtype).split(".")[1]
            wanted = (self.host.float() - torch.tensor(mean)) * torch.tensor(scale)
            wanted = wanted.to(dtype).permute(2, 0, 1)
            batch = torch.zeros((4, 3, HEIGHT, WIDTH), dtype=dtype, device="cuda:0")
            options = {"dtype": name, "layout": "NCHW", "mean": mean, "scale": scale}
            images = kostka.decode_batch([self.data] * 4, out=batch, **options)
            self.assertEqual(images[0].report.stage_device["pixels"], "cuda")
            for tensor in batch:
                self.assertTrue(torch.equal(tensor.cpu(), wanted))
            gaps = torch.zeros((4, 5, HEIGHT + 3, WIDTH + 9), dtype=dtype, device="cuda:0")
            kostka.decode_batch([self.data] * 4, out=gaps[:, 1:4, 2:-1, 3:-6], **options)
            self.assertTrue(torch.equal(gaps[2, 1:4, 2:-1, 3:-6].cpu(), wanted))
            gaps[:, 1:4, 2:-1, 3:-6] = 0
            self.assertEqual(float(gaps.abs().max()), 0)
            fresh = torch.from_dlpack(kostka.decode(self.data, device="cuda", memory="device", **options))
            self.assertTrue(fresh.dtype == dtype and torch.equal(fresh.cpu(), wanted))
        for wrong in ("float16", "uint8"):
            self.assertRaises(TypeError, kostka.decode, self.data, out=batch[0], layout="CHW", dtype=wrong)

    def test_job_on_the_stream(self):
        """The picture is there for what comes into the stream, before anybody has waited for the job."""
        target = torch.zeros((3, HEIGHT, WIDTH, 3), dtype=torch.uint8, device="cuda:0")
        for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(400_000_000)
                target.fill_(9)
                job = self.context.submit([self.data] * 3, out=target, stream=stream)
                self.assertFalse(job.done())
                copy = target.clone()
                self.assertTrue(torch.equal(copy[2].cpu(), self.host))
                self.assertEqual(len(job.wait()), 3)
                self.assertTrue(job.done())

    def test_encode(self):
        tensor = self.host.to("cuda:0")
        wanted = kostka.encode(self.host, device="cpu")
        self.assertEqual(kostka.encode(tensor), wanted)
        self.assertEqual(kostka.encode(tensor, subsampling="444"), kostka.encode(self.host, subsampling="444"))
        planar = tensor.permute(2, 0, 1).contiguous()
        self.assertEqual(kostka.encode(planar, format="planar"), wanted)
        cut = tensor[5:100, 7:90]
        self.assertEqual(kostka.encode(cut), kostka.encode(cut.cpu()))
        batch = torch.stack([tensor, tensor.flip(0)])
        self.assertEqual(kostka.encode_batch(batch), [wanted, kostka.encode(self.host.flip(0))])
        self.assertEqual(kostka.encode(self.context.decode(self.data, memory="device")), wanted)

    def test_encode_follows_the_stream(self):
        wanted = kostka.encode(self.host, device="cpu")
        tensor = torch.zeros((HEIGHT, WIDTH, 3), dtype=torch.uint8, device="cuda:0")
        source = self.host.to("cuda:0")
        side = torch.cuda.Stream()
        torch.cuda.synchronize()
        for given in ({}, {"stream": side}, {"stream": side.cuda_stream}):
            tensor.zero_()
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                torch.cuda._sleep(200_000_000)
                tensor.copy_(source)
                self.assertEqual(kostka.encode(tensor, **given), wanted)

    def test_wrong(self):
        tensor = torch.zeros((HEIGHT, WIDTH, 3), dtype=torch.uint8, device="cuda:0")
        for wrong in (tensor[:, ::2], tensor.float(), tensor.permute(1, 0, 2), tensor[None, None], tensor.to(torch.int8)):
            self.assertRaises((TypeError, ValueError), kostka.encode, wrong)
            self.assertRaises((TypeError, ValueError), kostka.decode, self.data, out=wrong)
        with kostka.Context("cpu") as cpu:
            for call in (lambda: cpu.encode(tensor), lambda: cpu.decode(self.data, out=tensor)):
                with self.assertRaises(kostka.KostkaError) as caught:
                    call()
                self.assertEqual(caught.exception.status, "ERROR_IMAGE_MEMORY")
        freed = pictures.Cai(shape=(HEIGHT, WIDTH, 3), data=(0x7F0000001000, False))
        for call in (lambda: self.context.encode(freed), lambda: self.context.decode(self.data, out=freed)):
            self.assertRaises(kostka.KostkaError, call)
        short = pictures.Cai(shape=(12000, 12000, 3), data=(tensor.data_ptr(), False))
        with self.assertRaises(kostka.KostkaError) as caught:
            self.context.encode(short)
        self.assertEqual(caught.exception.status, "ERROR_IMAGE_BUFFER")
        image = self.context.decode(self.data, memory="device")
        self.assertRaises(BufferError, image.__dlpack__, dl_device=(1, 0))
        self.assertRaises(ValueError, image.__dlpack__, stream=0)

    def test_closed_context(self):
        context = kostka.Context("cuda:0")
        tensor = torch.from_dlpack(context.decode(self.data, memory="device"))
        context.close()
        del context
        gc.collect()
        self.assertTrue(torch.equal(tensor.cpu(), self.host))

    def test_pinned(self):
        image = self.context.decode(self.data, memory="pinned")
        self.assertTrue(torch.equal(torch.from_dlpack(image), self.host))


if __name__ == "__main__":
    unittest.main()
