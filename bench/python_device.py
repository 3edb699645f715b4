#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""JPEG as Python's bytes to a device's memory: python_device.py PHOTO… [--device cuda:0] [--rounds N] [--only WORK,…]

Works: `mixed`, 1,024 pictures of 320x480 to 1024x768 in one call; `one` and `64`, pictures of 3840x2160 in a call each.
Photographs are cut, or continued by their mirror images, and coded at quality 90 with 4:2:0. From one round to the next
the photographs change. Kostka and those peers that are installed (torchvision, nvImageCodec) take turns, and the clock
stops when the device has done everything; each result lives until the next one is there. Printed are, for each package,
the median of the rounds, the least, and pictures a second by the median.
"""

import argparse
import statistics
import time

import kostka
import numpy

MIXED, ROUNDS = 1024, 15
SIZES = ((320, 480), (480, 320), (500, 375), (640, 480), (800, 600), (1024, 768))
LARGE = (3840, 2160)


def cut(pixels, width, height, shift):
    """A part of the photograph, which is continued by mirror images where it is too small."""
    after = [(0, max(0, side - have)) for side, have in zip((height, width), pixels.shape)]
    if after != [(0, 0), (0, 0)]:
        pixels = numpy.pad(pixels, [*after, (0, 0)], "symmetric")
    y, x = (shift * step % (have - side + 1) for step, have, side in zip((37, 91), pixels.shape, (height, width)))
    return numpy.ascontiguousarray(pixels[y : y + height, x : x + width])


def coded(photos, sizes, count):
    pixels = [numpy.asarray(kostka.decode(photo, format="rgb", device="cpu")) for photo in photos]
    parts = (cut(pixels[i % len(pixels)], *sizes[i % len(sizes)], i) for i in range(count))
    return [bytes(kostka.encode(part, quality=90, subsampling="420", device="cpu")) for part in parts]


def with_kostka(device):
    context = kostka.Context(device)
    memory = "host" if device == "cpu" else "device"
    return lambda files: context.decode_batch(files, memory=memory)


def with_torchvision(device):
    import torch
    import torchvision

    if not device.startswith("cuda"):
        raise ImportError("it is measured on a GPU only")

    def decode(files):
        streams = [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files]
        images = torchvision.io.decode_jpeg(streams, device=device)
        torch.cuda.synchronize()
        return images

    return decode


def with_nvimagecodec(device):
    import torch
    from nvidia import nvimgcodec

    if not device.startswith("cuda"):
        raise ImportError("it is measured on a GPU only")
    decoder = nvimgcodec.Decoder()

    def decode(files):
        images = decoder.decode(files)
        torch.cuda.synchronize()
        return images

    return decode


def find_packages(device):
    found = {}
    for make in (with_kostka, with_torchvision, with_nvimagecodec):
        name = make.__name__.removeprefix("with_")
        try:
            found[name] = make(device)
        except ImportError as error:
            print(f"# without {name}: {error}")
    return found


def measure(packages, batches, rounds):
    """Per package the seconds of each round but the first two, by turns."""
    times, kept = {name: [] for name in packages}, {}
    for turn in range(rounds + 2):
        files = batches[turn % len(batches)]
        for name, decode in packages.items():
            start = time.perf_counter()
            images = decode(files)
            taken = time.perf_counter() - start
            if len(images) != len(files) or any(image is None for image in images):
                raise SystemExit(f"{name}: a picture is missing")
            kept[name] = images
            if turn > 1:
                times[name].append(taken)
    return times


def batches_of(work, photos):
    if work == "mixed":
        return [coded(photos, SIZES, MIXED)]
    files = coded(photos, [LARGE], len(photos))
    if work == "one":
        return [[file] for file in files]
    return [[files[(first + i) % len(files)] for i in range(64)] for first in range(len(files))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="mixed,one,64")
    options = parser.parse_args()
    packages = find_packages(options.device)
    for work in options.only.split(","):
        batches = batches_of(work, options.photos)
        for name, seconds in measure(packages, batches, options.rounds).items():
            median = statistics.median(seconds)
            rate = len(batches[0]) / median
            times = f"median {median * 1e3:9.3f} ms, least {min(seconds) * 1e3:9.3f} ms"
            print(f"{work:<6} {name:<12} {times}, {rate:9.0f} a second", flush=True)


if __name__ == "__main__":
    main()
