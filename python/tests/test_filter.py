# SPDX-License-Identifier: BSD-2-Clause
"""Chains of filters, on images, arrays and in flows."""

import struct
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 47, 31


def opencl():
    return any(device.kind == "opencl" for device in kostka.devices())


class Filters(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(WIDTH, HEIGHT)

    def test_chains(self):
        inverted = kostka.filter(self.array, "invert")
        self.assertEqual((inverted.shape, inverted.format, inverted.memory), ((HEIGHT, WIDTH, 3), "rgb", "host"))
        self.assertEqual(bytes(inverted), bytes(255 - sample for sample in self.array.cast("B")))
        self.assertEqual(bytes(kostka.filter(inverted, "invert")), bytes(self.array))
        edges = kostka.filter(self.array, "gaussian=1.4,canny=50:150")
        self.assertEqual((edges.shape, edges.format), ((HEIGHT, WIDTH), "grey"))
        self.assertEqual(set(bytes(edges)) - {0, 255}, set())
        self.assertEqual(kostka.filter(self.array, "rotate=90").shape, (WIDTH, HEIGHT, 3))
        with kostka.Context("cpu", threads=3) as context:
            self.assertEqual(context.filter(self.array, chain="gaussian=1.4,canny=50:150"), edges)

    def test_depths_and_formats(self):
        wide = memoryview(struct.pack("4H", 0, 1000, 40000, 65535)).cast("B").cast("H", (2, 2))
        image = kostka.filter(wide, "invert")
        self.assertEqual((image.dtype, image[0, 1]), ("uint16", 64535))
        bgr = kostka.filter(self.array, "grey", format="bgr")
        self.assertNotEqual(bgr, kostka.filter(self.array, "grey"))
        image = kostka.decode(kostka.encode(self.array))
        self.assertEqual(kostka.filter(image, "sharpen"), kostka.filter(memoryview(image), "sharpen"))

    def test_out(self):
        wanted = kostka.filter(self.array, "median=2")
        out = pictures.array(WIDTH, HEIGHT, seed=9)
        image = kostka.filter(self.array, "median=2", out=out)
        self.assertEqual(bytes(out), bytes(wanted))
        self.assertEqual(image, wanted)
        with self.assertRaises(ValueError):
            kostka.filter(self.array, "grey", out=out)

    def test_stereo(self):
        moved, width, height = 5, 64, 40
        rows = bytes(pictures.array(width + moved, height).cast("B")[::3])
        rows = [rows[y * (width + moved) :][: width + moved] for y in range(height)]
        left = memoryview(b"".join(row[:width] for row in rows)).cast("B", (height, width))
        right = memoryview(b"".join(row[moved:] for row in rows)).cast("B", (height, width))
        disparity, confidence = kostka.stereo(left, right, disparities=16, tolerance=0)
        self.assertEqual((disparity.shape, disparity.dtype), ((height, width), "uint16"))
        self.assertEqual((confidence.shape, confidence.dtype), ((height, width), "uint8"))
        found = [value for y in range(height) for value in memoryview(disparity).tolist()[y][16:]]
        self.assertGreater(sum(abs(value - 256 * moved) <= 32 for value in found), 0.9 * len(found))
        with kostka.Context("cpu", threads=3) as context:
            again = context.stereo(left, right=right, disparities=16, tolerance=0)
        self.assertEqual([bytes(image) for image in again], [bytes(disparity), bytes(confidence)])
        with self.assertRaises(TypeError):
            kostka.Context("cpu").stereo(left)
        with self.assertRaises(ValueError):
            kostka.stereo(left, right, disparities=1)
        with self.assertRaises(kostka.KostkaError):
            kostka.stereo(left, right, paths=5)
        with self.assertRaises(kostka.KostkaError):
            kostka.stereo(left, memoryview(bytes(6)).cast("B", (2, 3)))

    def test_sweep(self):
        width, height, focal, depth = 64, 48, 80.0, 4.0
        moves = (0, 3, 6)  # pixels by which a plane at that depth moves to the left
        rows = bytes(pictures.array(width + moves[-1], height).cast("B")[::3])
        rows = [rows[y * (width + moves[-1]) :][: width + moves[-1]] for y in range(height)]
        views = [memoryview(b"".join(row[m:][:width] for row in rows)).cast("B", (height, width)) for m in moves]
        k, r = [[focal, 0, 32], [0, focal, 24], [0, 0, 1]], [1, 0, 0, 0, 1, 0, 0, 0, 1]
        cameras = [(k, r, (-m * depth / focal, 0, 0)) for m in moves]
        found, confidence = kostka.sweep(views, cameras, 2, 8, unit=0.001, planes=31, agreeing=1)
        self.assertEqual((found.shape, found.dtype), ((height, width), "uint16"))
        self.assertEqual((confidence.shape, confidence.dtype), ((height, width), "uint8"))
        inner = [value for row in memoryview(found).tolist()[8:-8] for value in row[12:-4]]
        self.assertGreater(sum(abs(value - 1000 * depth) <= 200 for value in inner), 0.9 * len(inner))
        with kostka.Context("cpu", threads=3) as context:
            again = context.sweep(
                views, cameras=cameras, nearest=2, farthest=8, unit=0.001, planes=31, agreeing=1, measure="ncc"
            )
        self.assertEqual([bytes(image) for image in again], [bytes(found), bytes(confidence)])
        sad = kostka.sweep(views, cameras, 2, 8, reference=1, measure="sad", agreeing=1)[0]
        self.assertNotEqual(bytes(sad), bytes(found))
        for wrong in ({"planes": 1}, {"radius": 5}, {"measure": "ssd"}, {"reference": 3}):
            with self.assertRaises(ValueError):
                kostka.sweep(views, cameras, 2, 8, **{"reference": 0, **wrong})
        for wrong in (cameras[:2], [(k, r)] * 3, [(k, r, (0, 0))] * 3, [(k, [*r, 1], (0, 0, 0))] * 3):
            with self.assertRaises(ValueError):
                kostka.sweep(views, wrong, 2, 8)
        with self.assertRaises(TypeError):
            kostka.sweep(views, [(k, r, "abc")] * 3, 2, 8)
        with self.assertRaises(kostka.KostkaError):
            kostka.sweep(views, cameras, 8, 2)
        with self.assertRaises(TypeError):
            kostka.Context("cpu").sweep(views, nearest=2, farthest=8)

    def test_histogram(self):
        counts = kostka.histogram(self.array)
        self.assertEqual(list(counts), ["red", "green", "blue"])
        samples = bytes(self.array)
        for i, name in enumerate(counts):
            channel = samples[i::3]
            self.assertEqual(counts[name], [channel.count(value) for value in range(256)])
        self.assertEqual(list(kostka.histogram(self.array, format="bgr")), ["blue", "green", "red"])
        wide = memoryview(struct.pack("4H", 0, 1000, 1000, 65535)).cast("B").cast("H", (2, 2))
        counts = kostka.histogram(kostka.filter(wide, "invert"))["grey"]
        self.assertEqual((len(counts), counts[0], counts[64535], sum(counts)), (65536, 1, 2, 4))
        with self.assertRaisesRegex(TypeError, "frobnicate"):
            kostka.histogram(self.array, frobnicate=1)
        data = kostka.encode(self.array)
        planes = kostka.decode(data, format="planar")
        self.assertEqual(kostka.histogram(planes), kostka.histogram(kostka.decode(data)))
        with self.assertRaisesRegex(kostka.KostkaError, "planes of grey, of RGB"):
            kostka.histogram(kostka.decode(data, format="raw"))

    def test_planes(self):
        rows = bytes(self.array)
        planes = memoryview(b"".join(rows[c::3] for c in range(3))).cast("B", (3, HEIGHT, WIDTH))
        wanted = bytes(kostka.filter(self.array, "median=2"))
        made = kostka.filter(planes, "median=2", format="planar")
        self.assertEqual((made.shape, made.format), ((3, HEIGHT, WIDTH), "planar"))
        self.assertEqual(bytes(made), b"".join(wanted[c::3] for c in range(3)))
        self.assertEqual(kostka.filter(made, "grey").shape, (1, HEIGHT, WIDTH))

    def test_wrong(self):
        for error, text, arguments in (
            (kostka.OptionError, "there is no filter 'blur'", {"chain": "invert,blur"}),
            (kostka.KostkaError, "outside the image", {"chain": "crop=400x400"}),
            (TypeError, "needs a chain", {"chain": None}),
            (TypeError, "a string", {"chain": 3}),
            (TypeError, "frobnicate", {"chain": "invert", "frobnicate": 1}),
        ):
            with self.assertRaisesRegex(error, text):
                kostka.filter(self.array, **arguments)
        for samples in (memoryview(bytes(16)).cast("f", (2, 2)), memoryview(bytes(4)).cast("b", (2, 2))):
            with self.assertRaisesRegex(TypeError, "filters take uint8 and uint16"):
                kostka.filter(samples, "invert")
        with self.assertRaises(kostka.KostkaError):  # a stream is for what lies on its device
            kostka.filter(self.array, "invert", stream=1, device="cpu")

    def test_flow(self):
        files = [kostka.encode(pictures.array(WIDTH + i, HEIGHT, seed=i), icc=b"x" * 200) for i in range(4)]
        chain = "grey,canny=50:150"
        for devices in ["cpu"] + ["opencl:0,cpu"] * opencl():
            wanted = [kostka.filter(kostka.decode(file, device="cpu"), chain, device="cpu") for file in files]
            self.assertEqual(list(kostka.flow(files, filters=chain, devices=devices)), wanted)
            made = list(kostka.flow(files, filters=chain, encode={"quality": 90}, keep=True, devices=devices))
            self.assertEqual(made, [kostka.encode(image, quality=90, device="cpu") for image in wanted])
            small = [kostka.filter(kostka.resize(kostka.decode(f, device="cpu"), 20), "invert") for f in files]
            self.assertEqual(list(kostka.flow(files, resize=20, filters="invert", devices=devices)), small)
        with self.assertRaisesRegex(kostka.OptionError, "there is no filter 'nosuch'"):
            kostka.flow(files, filters="nosuch")
        results = list(kostka.flow(files, filters="crop=48x31", devices="cpu", errors="return"))
        self.assertEqual([isinstance(result, kostka.KostkaError) for result in results], [True] + [False] * 3)


@unittest.skipUnless(opencl(), "no OpenCL device")
class OpenCL(unittest.TestCase):
    def test_device(self):
        context = kostka.Context("opencl:0")
        data = kostka.encode(pictures.array(WIDTH, HEIGHT), device="cpu")
        wanted = kostka.filter(kostka.decode(data, device="cpu"), "gaussian=2,sobel", device="cpu")
        image = context.decode(data, memory="device")
        made = kostka.filter(image, "gaussian=2,sobel")
        self.assertEqual((made.memory, made.shape), ("opencl", wanted.shape))
        self.assertEqual(made.report.stage_device["pixels"], "opencl")
        self.assertEqual(kostka.encode(made), kostka.encode(wanted, device="cpu"))
        self.assertEqual(kostka.histogram(made), kostka.histogram(wanted, device="cpu"))


try:
    import cupy

    cupy.cuda.runtime.getDeviceCount()
except Exception:  # the module is missing, or there is no driver or no device
    cupy = None


@unittest.skipUnless(cupy, "no CuPy with a CUDA device")
class Streams(unittest.TestCase):
    """Arrays of CuPy's, on the caller's stream: what comes before and behind the filters in it is in order."""

    def test_stream(self):
        host = pictures.array(640, 480)
        wanted = bytes(kostka.filter(host, "invert,gaussian=3", device="cpu"))
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            for _ in range(5):
                array = cupy.zeros((480, 640, 3), dtype="uint8")
                array += cupy.frombuffer(bytes(host), dtype="uint8").reshape(array.shape)
                image = kostka.filter(array, "invert,gaussian=3", stream=stream)
                out = cupy.zeros_like(array)
                kostka.filter(array, "invert,gaussian=3", stream=stream, out=out)
                array[:] = 0  # behind the work on it
                self.assertEqual(image.memory, "cuda")
                copies = (cupy.asarray(image) + 0, out + 0)
                stream.synchronize()
                for copy in copies:
                    self.assertEqual(copy.get().tobytes(), wanted)

    def test_default(self):
        array = cupy.asarray(cupy.frombuffer(bytes(pictures.array(64, 48)), dtype="uint8").reshape(48, 64, 3))
        image = kostka.filter(array, "median")
        self.assertEqual(image.memory, "cuda")
        wanted = kostka.filter(pictures.array(64, 48), "median", device="cpu")
        self.assertEqual(cupy.asarray(image).get().tobytes(), bytes(wanted))


if __name__ == "__main__":
    unittest.main()
