# SPDX-License-Identifier: BSD-2-Clause
"""Decoding: formats, parts, memory of the caller's, batches and errors."""

import os
import subprocess
import tempfile
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 75, 51


def stream(channels=3, **options):
    return kostka.encode(pictures.array(WIDTH, HEIGHT, channels), device="cpu", **options)


class Decode(unittest.TestCase):
    def test_shapes(self):
        data = stream()
        for name, shape in (
            ("auto", (HEIGHT, WIDTH, 3)),
            ("grey", (HEIGHT, WIDTH)),
            ("bgr", (HEIGHT, WIDTH, 3)),
            ("rgba", (HEIGHT, WIDTH, 4)),
            ("bgra", (HEIGHT, WIDTH, 4)),
            ("planar", (3, HEIGHT, WIDTH)),
        ):
            image = kostka.decode(data, format=name, device="cpu")
            self.assertEqual(image.shape, shape)
            self.assertEqual(memoryview(image).shape, shape)
            self.assertEqual((image.width, image.height, image.memory), (WIDTH, HEIGHT, "host"))
        self.assertEqual(kostka.decode(stream(1), device="cpu").format, "grey")

    def test_channels_are_the_same(self):
        data = stream()
        rgb = bytes(kostka.decode(data))
        bgr = bytes(kostka.decode(data, format="bgr"))
        rgba = bytes(kostka.decode(data, format="rgba", alpha=7))
        planar = kostka.decode(data, format="planar")
        self.assertEqual(rgb[0::3], bgr[2::3])
        self.assertEqual(rgb[1::3], rgba[1::4])
        self.assertEqual(set(rgba[3::4]), {7})
        self.assertEqual([bytes(plane) for plane in planar.planes], [rgb[c::3] for c in range(3)])
        self.assertEqual(bytes(planar), rgb[0::3] + rgb[1::3] + rgb[2::3])

    def test_pixels_are_near(self):
        image = kostka.decode(stream(quality=98, subsampling="444"))
        self.assertLess(pictures.error(bytes(image), bytes(pictures.array(WIDTH, HEIGHT))), 3)

    def test_command_line_gives_the_same(self):
        command = os.environ.get("KOSTKA", "")
        if not os.path.exists(command):
            self.skipTest("no command line")
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/in.jpg", "wb") as file:
                file.write(stream())
            subprocess.run([command, "decode", f"{folder}/in.jpg", f"{folder}/out.ppm"], check=True)
            with open(f"{folder}/out.ppm", "rb") as file:
                ppm = file.read()
        self.assertEqual(ppm[-WIDTH * HEIGHT * 3 :], bytes(kostka.decode(stream())))

    def test_raw_components(self):
        image = kostka.decode(stream(), format="raw")
        self.assertEqual([plane.shape for plane in image.planes], [(51, 75), (26, 38), (26, 38)])
        self.assertFalse(hasattr(image, "shape"))
        self.assertFalse(hasattr(image, "__array_interface__"))
        self.assertRaises(BufferError, memoryview, image)
        self.assertRaises(BufferError, image.__dlpack__)
        first = image.planes[0]
        del image
        self.assertEqual(len(bytes(first)), 51 * 75)
        raw = kostka.decode(stream(subsampling="444"), format="raw")
        again = kostka.decode(kostka.encode(raw, subsampling="444", quality=100, colour="ycbcr"), format="raw")
        self.assertLess(pictures.error(bytes(raw.planes[1]), bytes(again.planes[1])), 1)

    def test_reduce_and_region(self):
        data = stream()
        self.assertEqual(kostka.decode(data, reduce=1).shape, (26, 38, 3))
        whole = memoryview(kostka.decode(data)).cast("B")
        part = bytes(kostka.decode(data, region=(5, 7, 20, 10)))
        rows = [whole[((7 + y) * WIDTH + 5) * 3 :][: 20 * 3] for y in range(10)]
        self.assertEqual(part, b"".join(rows))

    def test_methods(self):
        data = stream()
        whole = kostka.decode(data)
        for eighths in (1, 5, 8, 11, 16):
            height, width, _ = whole.shape
            image = kostka.decode(data, eighths=eighths)
            self.assertEqual(image.shape, (-(-height * eighths // 8), -(-width * eighths // 8), 3))
        for options in {"dct": "fast"}, {"upsampling": "nearest"}:
            self.assertEqual(kostka.decode(data, **options).shape, whole.shape)
            self.assertNotEqual(bytes(kostka.decode(data, **options)), bytes(whole))
        self.assertNotEqual(stream(dct="fast"), data)
        for options in {"eighths": 17}, {"dct": "float"}, {"upsampling": "cubic"}:
            with self.assertRaises(ValueError):
                kostka.decode(data, **options)
        with self.assertRaises(kostka.OptionError):
            kostka.decode(data, eighths=4, reduce=1)
        with self.assertRaises(ValueError):
            kostka.decode(kostka.encode(whole, codec="jpeg2000"), eighths=4)

    def test_lossless_has_no_transform(self):
        # SOF3 of 8 by 1 samples: differences of category 0, whose code is one bit.
        table = bytes([0, 1]) + bytes(15) + bytes([0])
        stream = (
            bytes.fromhex("ffd8 ffc3 000b 08 0001 0008 01 011100 ffc4 0014")
            + table
            + bytes.fromhex("ffda 0008 01 0100 01 0000 00 ffd9")
        )
        self.assertEqual(bytes(kostka.decode(stream)), bytes([128] * 8))
        for options in ({"dct": "fast"}, {"upsampling": "nearest"}, {"eighths": 4}, {"reduce": 1}):
            with self.subTest(options=options), self.assertRaises(kostka.OptionError):
                kostka.decode(stream, **options)

    def test_report(self):
        report = kostka.decode(stream(), device="cpu").report
        self.assertEqual((report.status, report.offset, report.warnings), ("OK", None, 0))
        self.assertEqual((report.first_warning, report.message, report.device), (None, "", "cpu"))
        self.assertEqual(report.stage_device["pixels"], "cpu")
        self.assertEqual(report.stage_seconds.keys(), report.stage_device.keys())

    def test_warnings(self):
        data = stream()
        cut = data[: len(data) * 2 // 3]
        report = kostka.decode(cut).report
        self.assertGreater(report.warnings, 0)
        self.assertTrue(report.first_warning.startswith("WARNING_JPEG_"))
        self.assertTrue(report.message)
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode(cut, strict=True)
        self.assertTrue(caught.exception.status.startswith("WARNING_JPEG_"))

    def test_error(self):
        for data, status in ((b"", "ERROR_EMPTY"), (b"no picture at all", "ERROR_"), (stream()[:30], "ERROR_")):
            with self.assertRaises(kostka.KostkaError) as caught:
                kostka.decode(data)
            self.assertTrue(caught.exception.status.startswith(status))
            self.assertEqual(caught.exception.report.status, caught.exception.status)
            self.assertTrue(str(caught.exception))
        marker = stream()
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode(marker[:2] + b"\xff\xc4\x00\x03\x00" + marker[2:])
        self.assertEqual(caught.exception.offset, caught.exception.report.offset)
        self.assertIsInstance(caught.exception.offset, int)

    def test_out(self):
        data = stream()
        target = pictures.array(WIDTH, HEIGHT, 3)
        image = kostka.decode(data, out=target)
        self.assertEqual(bytes(target), bytes(kostka.decode(data)))
        self.assertEqual(image.shape, target.shape)
        other = kostka.decode(data)
        self.assertEqual(kostka.decode(data, out=other).shape, other.shape)
        grey = memoryview(bytearray(WIDTH * HEIGHT)).cast("B", (HEIGHT, WIDTH, 1))
        kostka.decode(data, format="grey", out=grey)
        self.assertEqual(bytes(grey), bytes(kostka.decode(data, format="grey")))
        planar = memoryview(bytearray(WIDTH * HEIGHT * 3)).cast("B", (3, HEIGHT, WIDTH))
        kostka.decode(data, format="planar", out=planar)
        self.assertEqual(bytes(planar), bytes(kostka.decode(data, format="planar")))

    def test_out_is_held(self):
        memory = bytearray(WIDTH * HEIGHT * 3)
        image = kostka.decode(stream(), out=memoryview(memory).cast("B", (HEIGHT, WIDTH, 3)))
        self.assertRaises(BufferError, memory.append, 0)
        del image
        memory.append(0)

    def test_pinned_and_device_memory(self):
        image = kostka.decode(stream(), device="cpu", memory="device")
        self.assertEqual(image.memory, "host")
        pinned = kostka.decode(stream(), device="cpu", memory="pinned")
        self.assertEqual(bytes(pinned), bytes(image))

    def test_batch(self):
        streams = [stream(), stream(1), stream(coding="progressive"), stream(subsampling="444")]
        images = kostka.decode_batch(streams)
        self.assertEqual([bytes(image) for image in images], [bytes(kostka.decode(data)) for data in streams])
        self.assertEqual(kostka.decode_batch([]), [])
        pinned = kostka.decode_batch(streams, memory="pinned", device="cpu")
        self.assertEqual([bytes(image) for image in pinned], [bytes(image) for image in images])

    def test_batch_with_errors(self):
        streams = [stream(), b"nothing", stream(1)]
        results = kostka.decode_batch(streams, errors="return")
        self.assertEqual(results[0].shape, (HEIGHT, WIDTH, 3))
        self.assertIsInstance(results[1], kostka.KostkaError)
        self.assertEqual(results[2].shape, (HEIGHT, WIDTH))
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode_batch(streams)
        self.assertEqual((caught.exception.index, caught.exception.status), (1, results[1].status))

    def test_batch_out(self):
        streams = [stream(quality=q) for q in (40, 90)]
        outs = [pictures.array(WIDTH, HEIGHT) for _ in streams]
        kostka.decode_batch(streams, out=outs)
        self.assertEqual([bytes(out) for out in outs], [bytes(kostka.decode(data)) for data in streams])
        self.assertRaises(ValueError, kostka.decode_batch, streams, out=outs[:1])

    def test_orientation(self):
        exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
        data = stream(exif=exif)
        self.assertEqual(kostka.info(data).orientation, 6)
        self.assertEqual(kostka.decode(data, orient=True).shape, (WIDTH, HEIGHT, 3))


if __name__ == "__main__":
    unittest.main()
