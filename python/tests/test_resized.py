# SPDX-License-Identifier: BSD-2-Clause
"""Streams decoded to pictures of one size."""

import io
import os
import tempfile
import unittest

import kostka
import pictures

try:
    import numpy
except ImportError:
    numpy = None
try:
    import PIL
    import PIL.Image
except ImportError:
    PIL = None

COUNT = 6
SIZE = (32, 24)
BOXES = (None, (3.5, 4, 60, 50.25), (0, 0, 40, 40), None, (1, 1, 2, 2), (10.125, 0, 42, 70))
MIRROR = (False, True, False, True, True, False)


def streams():
    return [kostka.encode(pictures.array(90 + 7 * i, 80 + i, seed=i), quality=90, device="cpu") for i in range(COUNT)]


class Resized(unittest.TestCase):
    def setUp(self):
        self.data = streams()

    def expected(self, i, **options):
        image = kostka.resize(kostka.decode(self.data[i], device="cpu"), SIZE, box=BOXES[i], mirror=MIRROR[i], **options)
        return bytes(image)

    def test_each_is_its_resized_picture(self):
        tensor = kostka.decode_resized(self.data, SIZE, boxes=BOXES, mirror=MIRROR, layout="NHWC", device="cpu")
        self.assertEqual((tensor.shape, tensor.dtype, tensor.memory), ((COUNT, 24, 32, 3), "uint8", "host"))
        self.assertEqual((len(tensor), tensor.errors, tensor.strides), (COUNT, {}, (24 * 96, 96, 3, 1)))
        for i in range(COUNT):
            self.assertEqual(bytes(tensor[i]), self.expected(i))
        self.assertEqual(b"".join(self.expected(i) for i in range(COUNT)), bytes(tensor))
        with kostka.Context("cpu", threads=3) as context:
            other = context.decode_resized(self.data, size=SIZE, boxes=BOXES, mirror=MIRROR, layout="NHWC")
            self.assertEqual(bytes(other), bytes(tensor))

    def test_channels_first(self):
        last = kostka.decode_resized(self.data, SIZE, layout="NHWC", filter="lanczos", fit="cover", device="cpu")
        first = kostka.decode_resized(self.data, SIZE, filter="lanczos", fit="cover", device="cpu")
        self.assertEqual(first.shape, (COUNT, 3, 24, 32))
        for i in range(COUNT):
            pixels = bytes(last[i])
            self.assertEqual(bytes(first[i]), pixels[0::3] + pixels[1::3] + pixels[2::3])

    def test_formats(self):
        for name, channels in (("grey", 1), ("bgr", 3), ("rgba", 4)):
            tensor = kostka.decode_resized(self.data, 8, format=name, alpha=7, device="cpu")
            self.assertEqual(tensor.shape, (COUNT, channels, 8, 8))
            if name == "rgba":
                self.assertEqual(bytes(tensor[0])[-64:], bytes([7]) * 64)
        grey = kostka.encode(pictures.array(30, 20, 1), device="cpu")
        planes = memoryview(kostka.decode_resized([grey], (10, 10), device="cpu"))[0:1].tobytes()
        self.assertEqual(planes[:100], planes[100:200])

    def test_parts(self):
        tensor = kostka.decode_resized([*self.data, b"none"], SIZE, errors="return", device="cpu")
        part = tensor[2:5]
        self.assertEqual((part.shape, part.errors), ((3, 3, 24, 32), {}))
        self.assertEqual(bytes(part[0]), bytes(tensor[2]))
        self.assertEqual(list(tensor[4:].errors), [2])
        self.assertEqual(bytes(tensor[-2]), bytes(tensor[COUNT - 1]))
        del tensor
        self.assertEqual(bytes(part[1]), bytes(kostka.decode_resized([self.data[3]], SIZE, device="cpu")))
        for bad in (3, -4):
            with self.assertRaises(IndexError):
                part[bad]
        for bad in (slice(0, 3, 2), slice(1, 1)):
            with self.assertRaises(ValueError):
                part[bad]
        with self.assertRaises(TypeError):
            part["a"]

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.jpg")
            with open(path, "wb") as file:
                file.write(self.data[0])
            tensor = kostka.decode_resized([path, self.data[0], io.BytesIO(self.data[0])], SIZE, device="cpu")
            self.assertEqual(bytes(tensor[0]), bytes(tensor[1]))
            self.assertEqual(bytes(tensor[0]), bytes(tensor[2]))
            with self.assertRaises(FileNotFoundError) as raised:
                kostka.decode_resized([path, path + "x"], SIZE, errors="return", device="cpu")
            self.assertEqual(raised.exception.index, 1)

    def test_errors_of_items(self):
        data = [self.data[0], b"no picture", self.data[1][:200], self.data[2]]
        with self.assertRaises(kostka.StreamError) as raised:
            kostka.decode_resized(data, SIZE, device="cpu")
        self.assertEqual(raised.exception.index, 1)
        boxes = [None, None, None, (0, 0, 1000, 1000)]
        tensor = kostka.decode_resized(data, SIZE, boxes=boxes, errors="return", device="cpu")
        self.assertEqual(sorted(tensor.errors), [1, 2, 3])
        self.assertEqual((tensor.errors[1].status, tensor.errors[3].status), ("ERROR_JPEG_SOI", "ERROR_REGION"))
        self.assertEqual(bytes(tensor[1]), bytes(3 * 24 * 32))
        self.assertEqual(bytes(tensor[0]), bytes(kostka.decode_resized(data[:1], SIZE, device="cpu")))

    def test_draft(self):
        large = kostka.encode(pictures.array(200, 160), device="cpu")
        box = (0, 0, 160, 128)
        for size, reduces in (((101, 80), (0, 0)), ((80, 64), (1, 1)), ((41, 30), (2, 1)), ((40, 32), (2, 2)), ((5, 5), (3, 3))):
            found = kostka.decode_resized([large, large], size, draft=True, boxes=[None, box], device="cpu")
            for i, reduce in enumerate(reduces):
                whole = kostka.decode(large, reduce=reduce, format="planar", device="cpu")
                part = [edge / 2**reduce for edge in box] if i else None
                self.assertEqual(bytes(found[i]), bytes(kostka.resize(whole, size, box=part)), (size, i))
        jp2 = kostka.encode(pictures.array(200, 160), codec="jp2", levels=1, device="cpu")
        found = kostka.decode_resized([jp2], (9, 9), draft=True, device="cpu")
        whole = kostka.decode(jp2, reduce=1, format="planar", device="cpu")
        self.assertEqual(bytes(found[0]), bytes(kostka.resize(whole, (9, 9))))

    def test_draft_of_lossless_jpeg(self):  # whose samples are coded in one size only; 16 by 16 of them, all 128
        frame, table = "ffc3000b080010001001011100", "ffc4001400" + "01" + "00" * 15 + "00"
        data = bytes.fromhex("ffd8" + frame + table + "ffda0008010100010000" + "00" * 32 + "ffd9")
        found = kostka.decode_resized([data], (4, 4), draft=True, device="cpu")
        self.assertEqual(bytes(found[0]), b"\x80" * len(bytes(found[0])))

    def test_refused(self):
        for error, options in (
            (TypeError, {"size": None}),
            (TypeError, {"size": "big"}),
            (kostka.LimitError, {"size": 2**31}),
            (ValueError, {"size": 2**32}),
            (kostka.LimitError, {"size": 2**20}),
            (ValueError, {"fit": "inside"}),
            (ValueError, {"format": "raw"}),
            (ValueError, {"filter": "nearest"}),
            (ValueError, {"boxes": [None]}),
            (TypeError, {"boxes": 3}),
            (ValueError, {"boxes": [(0, 0, 0, 0)] * COUNT}),
            (ValueError, {"mirror": [True]}),
            (ValueError, {"mean": 3}),
            (ValueError, {"draft": True, "reduce": 1}),
            (ValueError, {"memory": "host", "out": bytearray(9)}),
            (ValueError, {"errors": "ignore"}),
            (TypeError, {"quality": 3}),
        ):
            with self.assertRaises(error, msg=options):
                kostka._context("cpu").decode_resized(self.data, **{"size": SIZE, **options})
        with self.assertRaises(ValueError):
            kostka.decode_resized([], SIZE)
        with self.assertRaises(TypeError):
            kostka.decode_resized(self.data[0], SIZE)
        with self.assertRaises(TypeError):
            kostka.decode_resized([3], SIZE)


@unittest.skipUnless(numpy, "NumPy is not installed")
class Arrays(unittest.TestCase):
    def setUp(self):
        self.data = streams()

    def test_no_copy(self):
        tensor = kostka.decode_resized(self.data, SIZE, device="cpu")
        array = numpy.asarray(tensor)
        self.assertEqual(array.__array_interface__["data"], tensor.__array_interface__["data"])
        self.assertTrue((numpy.from_dlpack(tensor) == array).all())
        self.assertTrue((numpy.asarray(tensor[1:3]) == array[1:3]).all())

    def test_numbers(self):
        mean, scale = (10, 20.5, 30), (0.5, 0.25, 2)
        plain = numpy.asarray(kostka.decode_resized(self.data, SIZE, device="cpu")).astype(numpy.float32)
        parameters = [numpy.float32(one).reshape(3, 1, 1) for one in (mean, scale)]
        wanted = (plain - parameters[0]) * parameters[1]
        for name in ("float32", "float16"):
            found = numpy.asarray(kostka.decode_resized(self.data, SIZE, dtype=name, mean=mean, scale=scale, device="cpu"))
            self.assertEqual(found.dtype, name)
            self.assertTrue((found == wanted.astype(name)).all())

    def test_out(self):
        wanted = numpy.asarray(kostka.decode_resized(self.data, SIZE, device="cpu"))
        whole = numpy.zeros((COUNT + 2, 3, 30, 40), numpy.uint8)
        out = whole[1:-1, :, 2:26, :32]  # rows, planes and pictures with gaps between them
        tensor = kostka.decode_resized(self.data, SIZE, out=out)
        self.assertTrue((out == wanted).all())
        self.assertEqual(whole.sum(), wanted.sum())
        self.assertEqual(tensor.strides, out.strides)
        self.assertEqual(bytes(tensor[2]), wanted[2].tobytes())
        for bad in (out[1:], out[:, :, :, ::-1], out[::-1], out.astype("f4"), out[0], out.view("i1"), out[..., :16]):
            with self.assertRaises((ValueError, TypeError)):
                kostka.decode_resized(self.data, SIZE, out=bad)
        with self.assertRaises((ValueError, BufferError)):
            kostka.decode_resized(self.data, SIZE, out=wanted.tobytes())
        with self.assertRaises(ValueError):
            kostka.encode(out)

    @unittest.skipUnless(PIL, "Pillow is not installed")
    def test_pillow(self):
        """The pixels that decoding, Pillow's resize() and mirroring give."""
        order = "auto" if int(PIL.__version__.split(".")[0]) >= 13 else "horizontal"
        for name in ("box", "bilinear", "bicubic", "lanczos"):
            found = numpy.asarray(
                kostka.decode_resized(self.data, SIZE, boxes=BOXES, mirror=MIRROR, filter=name, order=order, device="cpu")
            )
            for i, data in enumerate(self.data):
                picture = PIL.Image.open(io.BytesIO(data)).convert("RGB")
                picture = picture.resize(SIZE, PIL.Image.Resampling[name.upper()], BOXES[i])
                wanted = numpy.asarray(picture)[:, :: -1 if MIRROR[i] else 1].transpose(2, 0, 1)
                self.assertTrue((found[i] == wanted).all(), (name, i))


if __name__ == "__main__":
    unittest.main()
