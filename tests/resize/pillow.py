#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares resized images with those of Pillow: sizes, boxes, filters and formats at random, and the odd ones."""
import random
import subprocess
import sys

import PIL
from PIL import Image, ImageOps

FORMATS = {"L": 1, "RGB": 2, "RGBA": 4, "CMYK": 6}
FILTERS = {
    Image.Resampling.BICUBIC: 0,
    Image.Resampling.BOX: 1,
    Image.Resampling.BILINEAR: 2,
    Image.Resampling.HAMMING: 3,
    Image.Resampling.LANCZOS: 4,
}
EXACT, INSIDE, COVER = range(3)
ORDER = 0 if int(PIL.__version__.split(".")[0]) >= 13 else 1


class Stream:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def resize(self, image, number, size, fit, resample, mirror=False, box=(0, 0, 0, 0)):
        words = [number, *image.size, *size, fit, FILTERS[resample], ORDER, int(mirror)]
        words += [float(edge).hex() for edge in box]
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n" + image.tobytes())
        self.process.stdin.flush()
        status, width, height = map(int, self.process.stdout.readline().split())
        if status:
            return status, (width, height), b""
        return status, (width, height), self.process.stdout.read(width * height * len(image.getbands()))


# Two fifths of the random bytes become 0 or 255, where results are clipped.
CLIPPED = bytes([0] * 51 + list(range(51, 205)) + [255] * 51)


def noise(random_, mode, width, height):
    count = width * height * Image.getmodebands(mode)
    return Image.frombytes(mode, (width, height), random_.randbytes(count).translate(CLIPPED))


def swap(image):
    """The same pixels as B, G, R."""
    bands = image.split()
    return Image.merge(image.mode, (bands[2], bands[1], bands[0], *bands[3:]))


def random_side(random_):
    return random_.choice((1, 2, 3, 7, 16, 33, 64, random_.randint(1, 200)))


def random_box(random_, width, height):
    if random_.random() < 0.4:
        return None
    left, top = random_.uniform(0, width * 0.9), random_.uniform(0, height * 0.9)
    right, bottom = random_.uniform(left, width), random_.uniform(top, height)
    if random_.random() < 0.3:
        left, top = int(left), int(top)
        right, bottom = min(left + 1, width), min(top + 1, height)
    return left, top, max(right, left + 0.01), max(bottom, top + 0.01)


def check(what, stream, image, number, size, fit, resample, mirror, box, expected):
    status, found, samples = stream.resize(image, number, size, fit, resample, mirror, box or (0, 0, 0, 0))
    if status or found != expected.size or samples != expected.tobytes():
        differing = sum(a != b for a, b in zip(samples, expected.tobytes()))
        raise SystemExit(
            f"{what}: {image.mode} {image.size} to {size}, box {box}, {resample!r}, mirror {mirror}: status {status}, "
            f"size {found} for {expected.size}, {differing} of {len(samples)} samples differ"
        )


def check_exact(stream, random_, mode, from_, size, box, resample):
    image, mirror = noise(random_, mode, *from_), random_.random() < 0.2
    expected = image.resize(size, resample, box)
    if mirror:
        expected = ImageOps.mirror(expected)
    check("exact", stream, image, FORMATS[mode], size, EXACT, resample, mirror, box, expected)
    if mode in ("RGB", "RGBA"):
        check(
            "swapped", stream, swap(image), FORMATS[mode] + 1, size, EXACT, resample, mirror, box, swap(expected)
        )


def main():
    stream, random_, count = Stream(sys.argv[1]), random.Random(20), 0
    odd = [
        ((1, 1), (1, 1)), ((1, 1), (300, 5)), ((500, 1), (3, 1)), ((1, 500), (1, 3)), ((3000, 2), (1, 9)),
        ((2, 3000), (9, 1)), ((5, 5), (5, 5)), ((5, 5), (5, 9)), ((5, 5), (9, 5)), ((4097, 3), (13, 2)),
        ((640, 480), (224, 224)), ((224, 224), (300, 300)),
        ((300, 900), (200, 90)), ((100, 900), (300, 20)),
    ]
    for from_, size in odd:
        for mode in FORMATS:
            for resample in FILTERS:
                check_exact(stream, random_, mode, from_, size, None, resample)
                count += 1
    for _ in range(1500):
        width, height = random_side(random_), random_side(random_)
        size = random_side(random_), random_side(random_)
        mode, resample = random_.choice(list(FORMATS)), random_.choice(list(FILTERS))
        check_exact(stream, random_, mode, (width, height), size, random_box(random_, width, height), resample)
        count += 1
    for _ in range(200):
        image = noise(random_, "RGB", random_side(random_), random_side(random_))
        size = random_side(random_) + 20, random_side(random_) + 20
        # Pillow refuses sides that come to less than half a pixel.
        ratio = image.width / image.height
        if min(size[0] / ratio, size[1] * ratio) >= 1:
            expected = ImageOps.contain(image, size, Image.Resampling.BICUBIC)
            check("contain", stream, image, 2, size, INSIDE, Image.Resampling.BICUBIC, False, None, expected)
        expected = ImageOps.fit(image, size, Image.Resampling.BILINEAR)
        check("fit", stream, image, 2, size, COVER, Image.Resampling.BILINEAR, False, None, expected)
        count += 2
    print(f"{count} images are those of Pillow")


main()
