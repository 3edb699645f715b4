# SPDX-License-Identifier: BSD-2-Clause
"""Filters beside OpenCV 5 (the wheel opencv-contrib-python-headless), on random pictures; KOSTKA_SEED makes others."""

import os
import random
import unittest

import kostka

try:
    import cv2
    import numpy
except ImportError:
    cv2 = None
IS_THERE = cv2 is not None and int(cv2.__version__.split(".", 1)[0]) >= 5
ROUNDS = 12


def picture(chance, channels, dtype):
    """Return slopes with blocks, lines and noise on them, so that there are edges, flat areas and equal neighbours."""
    height, width = chance.randrange(17, 150), chance.randrange(17, 150)
    seeded = numpy.random.default_rng(chance.randrange(1 << 32))
    y, x = numpy.mgrid[0:height, 0:width]
    made = numpy.empty((height, width, channels), numpy.float64)
    for channel in range(channels):
        made[..., channel] = (x * chance.uniform(-3, 3) + y * chance.uniform(-3, 3)) % 256
    for _ in range(9):
        top, left = chance.randrange(height), chance.randrange(width)
        made[top : top + chance.randrange(1, 40), left : left + chance.randrange(1, 40)] = seeded.uniform(0, 255, channels)
    made += seeded.normal(0, chance.choice((0, 1, 6, 40)), made.shape)
    made = numpy.clip(made, 0, 255)
    made = numpy.round(made * 257).astype(dtype) if dtype == numpy.uint16 else made.astype(dtype)
    return made[..., 0] if channels == 1 else made


@unittest.skipUnless(IS_THERE, "OpenCV 5 for Python is not installed")
class Peers(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("KOSTKA_SEED", "41"))
        self.chance = random.Random(self.seed)

    def compare(self, chain, source, wanted, apart=0):
        """Compare the result of a chain, whose samples may be `apart` from those that are wanted."""
        made = numpy.asarray(kostka.filter(source, chain))
        self.assertEqual((made.shape, made.dtype), (wanted.shape, wanted.dtype), chain)
        difference = numpy.abs(made.astype(numpy.int64) - wanted.astype(numpy.int64)).max()
        self.assertLessEqual(difference, apart, f"{chain} of {source.shape}, {source.dtype}: KOSTKA_SEED={self.seed}")

    def pictures(self, dtype=None):
        """Generate pictures in grey and RGB by turns."""
        for i in range(ROUNDS):
            yield picture(self.chance, 1 + 2 * (i % 2), dtype or numpy.uint8)

    def test_canny(self):
        for source in self.pictures():
            for aperture in (3, 5, 7):
                scale = {3: 1, 5: 12, 7: 160}[aperture]
                low, high = (round(self.chance.uniform(1, 400) * scale, 2) for _ in range(2))
                for norm in ("l1", "l2"):
                    wanted = cv2.Canny(source, low, high, apertureSize=aperture, L2gradient=norm == "l2")
                    self.compare(f"canny={low}:{high}:{norm}:{aperture}", source, wanted)

    def test_sobel(self):
        for dtype in (numpy.uint8, numpy.uint16):
            most = numpy.iinfo(dtype).max
            for source in self.pictures(dtype):
                for aperture in (3, 5):
                    dx, dy = (
                        numpy.abs(cv2.Sobel(source, cv2.CV_64F, *axis, ksize=aperture, borderType=cv2.BORDER_REPLICATE))
                        for axis in ((1, 0), (0, 1))
                    )
                    shown = {"sum": dx + dy, "length": numpy.floor(numpy.hypot(dx, dy)), "x": dx, "y": dy}
                    for name, wanted in shown.items():
                        self.compare(f"sobel={aperture}:{name}", source, numpy.minimum(wanted, most).astype(dtype))

    def test_bilateral(self):
        for source in self.pictures():
            colour, space, radius = self.chance.randrange(2, 200), self.chance.uniform(0.6, 6), self.chance.randrange(1, 7)
            space = round(space, 3)
            wanted = cv2.bilateralFilter(source, 2 * radius + 1, colour, space)
            self.compare(f"bilateral={colour}:{space}:{radius}", source, wanted, 1)

    def test_bilateral_of_16_bits(self):
        """OpenCV filters binary32 instead; within one step of 8 bits."""
        for source in self.pictures(numpy.uint16):
            colour, space, radius = self.chance.randrange(2, 200), self.chance.uniform(0.6, 6), self.chance.randrange(1, 7)
            space = round(space, 3)
            wanted = cv2.bilateralFilter(source.astype(numpy.float32), 2 * radius + 1, colour * 257.0, space)
            self.compare(f"bilateral={colour}:{space}:{radius}", source, numpy.round(wanted).astype(numpy.uint16), 257)

    @unittest.skipUnless(IS_THERE and hasattr(cv2, "xphoto"), "OpenCV has no module xphoto")
    def test_oil(self):
        for source in self.pictures():
            radius, ratio = self.chance.randrange(1, 9), self.chance.randrange(1, 40)
            options = {"code": cv2.COLOR_RGB2GRAY} if source.ndim == 3 else {}
            self.compare(f"oil={radius}:{ratio}", source, cv2.xphoto.oilPainting(source, radius, ratio, **options))

    def test_gaussian(self):
        for source in self.pictures():
            sigma = round(self.chance.uniform(0.4, 9), 3)
            self.compare(f"gaussian={sigma}", source, cv2.GaussianBlur(source, (0, 0), sigma))

    def test_median(self):
        for dtype, most in ((numpy.uint8, 9), (numpy.uint16, 2)):
            for source in self.pictures(dtype):
                radius = self.chance.randrange(1, most + 1)
                self.compare(f"median={radius}", source, cv2.medianBlur(source, 2 * radius + 1))

    def test_colours(self):
        for source in self.pictures():
            if source.ndim == 3:
                self.compare("grey", source, cv2.cvtColor(source, cv2.COLOR_RGB2GRAY))
            else:
                self.compare("equalise", source, cv2.equalizeHist(source), 1)


if __name__ == "__main__":
    unittest.main()
