# SPDX-License-Identifier: BSD-2-Clause
"""Images to and from Pillow's."""

import subprocess
import sys
import unittest

import kostka
import pictures

try:
    import PIL.Image
except ImportError:
    PIL = None

WIDTH, HEIGHT = 37, 29


class Without(unittest.TestCase):
    def test_nothing_imports_it(self):
        code = "import kostka, sys; kostka.encode(memoryview(bytes(64)).cast('B', (8, 8))); print('PIL' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, "False\n")


@unittest.skipUnless(PIL, "Pillow is not installed")
class Pillow(unittest.TestCase):
    def setUp(self):
        self.rgb = PIL.Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT)))
        self.rgba = PIL.Image.frombytes("RGBA", (WIDTH, HEIGHT), bytes(pictures.array(WIDTH, HEIGHT, 4)))
        self.grey = self.rgb.convert("L")

    def test_encode(self):
        self.assertEqual(kostka.encode(self.rgb), kostka.encode(pictures.array(WIDTH, HEIGHT)))
        self.assertEqual(
            kostka.encode(self.rgba, codec="jp2"), kostka.encode(pictures.array(WIDTH, HEIGHT, 4), codec="jp2")
        )
        grey = memoryview(self.grey.tobytes()).cast("B", (HEIGHT, WIDTH))
        self.assertEqual(kostka.encode(self.grey), kostka.encode(grey))
        self.assertEqual(kostka.encode_batch([self.rgb, self.grey]), [kostka.encode(self.rgb), kostka.encode(grey)])
        self.assertEqual(kostka.encode(self.rgb, format="rgb"), kostka.encode(self.rgb))

    def test_modes(self):
        """Modes without a format of ours are converted as Pillow does it."""
        for image, same in (
            (self.grey.convert("1"), self.grey.convert("1").convert("L")),
            (self.rgb.convert("P"), self.rgb.convert("P").convert("RGB")),
            (self.rgb.convert("YCbCr"), self.rgb.convert("YCbCr").convert("RGB")),
            (self.rgb.convert("HSV"), self.rgb.convert("HSV").convert("RGB")),
            (self.rgba.convert("LA"), self.rgba.convert("LA").convert("RGBA")),
        ):
            with self.subTest(mode=image.mode):
                self.assertEqual(kostka.encode(image, codec="jp2"), kostka.encode(same, codec="jp2"))
        palette = self.rgb.convert("P")
        palette.info["transparency"] = 0
        self.assertEqual(kostka.decode(kostka.encode(palette, codec="jp2")).format, "rgba")
        with self.assertRaises(TypeError) as caught:
            kostka.encode(self.grey.convert("F"))
        self.assertIn("convert()", str(caught.exception))

    def test_both_ways(self):
        deep = PIL.Image.new("I;16", (WIDTH, HEIGHT))
        deep.putpixel((3, 4), 60000)
        signed = PIL.Image.new("I", (WIDTH, HEIGHT), -70000)
        for image, options in ((self.rgb, {}), (self.rgba, {}), (self.grey, {}), (deep, {}), (signed, {"depth": 20})):
            with self.subTest(mode=image.mode):
                made = kostka.decode(kostka.encode(image, codec="jp2", **options)).to_pil()
                self.assertEqual((made.mode, made.size, made.tobytes()), (image.mode, image.size, image.tobytes()))

    def test_cmyk(self):
        """Pillow means ink, files of Adobe's what is left of it: 0, 0, 0, 0 is white in both packages."""
        white = kostka.encode(PIL.Image.new("CMYK", (16, 16)))
        self.assertEqual(kostka.info(white).colour, "cmyk")
        self.assertEqual(kostka.decode(white)[5, 5], (255,) * 4)
        self.assertEqual(kostka.decode(white).to_pil().getpixel((5, 5)), (0,) * 4)

    def test_decoded(self):
        data = kostka.encode(self.rgb, quality=95)
        for name, mode in (
            ("rgb", "RGB"),
            ("bgr", "RGB"),
            ("rgba", "RGBA"),
            ("bgra", "RGBA"),
            ("planar", "RGB"),
            ("grey", "L"),
        ):
            made = kostka.decode(data, format=name).to_pil()
            self.assertEqual(made.mode, mode)
            wanted = kostka.decode(data, format="grey" if mode == "L" else "rgb").to_pil()
            self.assertEqual(made.convert(wanted.mode).tobytes(), wanted.tobytes())
        image = kostka.decode(data)
        part = image[3:20, 5:30].to_pil()
        self.assertEqual(part.tobytes(), image.to_pil().crop((5, 3, 30, 20)).tobytes())
        grey = kostka.decode(data, dtype="float32", format="grey", scale=1).to_pil()
        self.assertEqual(grey.mode, "F")
        for options in ({"format": "raw"}, {"dtype": "float32"}):
            self.assertRaises(ValueError, kostka.decode(data, **options).to_pil)

    def test_cannot_be_written_to(self):
        self.assertRaises(TypeError, kostka.decode, kostka.encode(self.rgb), out=self.rgb)

    def test_lifetime(self):
        image = kostka.decode(kostka.encode(self.grey), device="cpu")
        wanted = bytes(image)
        made = image.to_pil()
        del image
        self.assertEqual(made.tobytes(), wanted)
        made.putpixel((0, 0), 1)
        self.assertEqual(made.getpixel((0, 0)), 1)


if __name__ == "__main__":
    unittest.main()
