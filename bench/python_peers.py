#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""JPEG in Python against other packages: python_peers.py PHOTO… [--rounds N] [--pixels 2,8,18] [--small]

Photographs are cut, or continued by their mirror images, to each size, and coded at quality 85 with 4:2:0. The packages
take turns, picture by picture, and each result lives until the package's next one has been made, as in a loop that
assigns it to a variable. Each row gives the median of the peer's time over Kostka's: processor time of the calling
thread with one thread each, and wall-clock time with one thread and with all of Kostka's. Peers that are not installed
are left out. --small measures pictures of 64x64 and 256x256, in microseconds a call.
"""

import argparse
import io
import statistics
import time

import kostka
import numpy

ASPECT = 4 / 3
QUALITY = 85


def read(path, width, height):
    """The photograph's pixels, cut or continued by mirror images."""
    pixels = numpy.asarray(kostka.decode(path, format="rgb"))
    after = [(0, max(0, side - have)) for side, have in zip((height, width), pixels.shape)]
    return numpy.ascontiguousarray(numpy.pad(pixels, [*after, (0, 0)], "symmetric")[:height, :width])


def kostka_with(threads):
    context = kostka.Context("cpu", threads=threads)
    return (
        lambda data: context.decode(data),
        lambda pixels: context.encode(pixels, quality=QUALITY, subsampling="420"),
    )


def imagecodecs():
    from imagecodecs import jpeg8_decode, jpeg8_encode

    return jpeg8_decode, lambda pixels: jpeg8_encode(pixels, level=QUALITY, subsampling="420")


def simplejpeg():
    from simplejpeg import decode_jpeg, encode_jpeg

    return decode_jpeg, lambda pixels: encode_jpeg(pixels, QUALITY, "RGB", "420")


def pillow():
    from PIL import Image

    def decode(data):
        image = Image.open(io.BytesIO(data))
        image.load()
        return image

    def encode(pixels):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "JPEG", quality=QUALITY, subsampling=2)
        return file.getvalue()

    return decode, encode


def opencv():
    import cv2

    cv2.setNumThreads(1)
    return (
        lambda data: cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR),
        lambda pixels: cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1],
    )


def find_peers():
    found = {}
    for make in (imagecodecs, simplejpeg, pillow, opencv):
        try:
            found[make.__name__] = make()
        except ImportError as error:
            print(f"# without {make.__name__}: {error}")
    return found


def measure(codecs, inputs, rounds, repeat=1):
    """Per codec a list of (thread seconds, wall seconds) a call, in the same order for all."""
    times = {name: [] for name in codecs}
    kept = {}
    for turn in range(rounds + 1):
        for value in inputs:
            for name, code in codecs.items():
                wall, busy = time.perf_counter(), time.thread_time()
                for _ in range(repeat):
                    kept[name] = code(value)
                busy, wall = time.thread_time() - busy, time.perf_counter() - wall
                if turn > 0:
                    times[name].append((busy / repeat, wall / repeat))
    return times


def ratio(times, peer, ours, kind):
    return statistics.median(theirs[kind] / own[kind] for theirs, own in zip(times[peer], times[ours]))


def table(title, times, peers):
    own = [statistics.median(t[kind] for t in times[name]) * 1e3 for name, kind in (("one", 0), ("one", 1), ("all", 1))]
    print(f"{title:<18} {'kostka, ms':<12} {own[0]:9.1f} {own[1]:9.1f} {own[2]:12.1f}")
    for peer in peers:
        values = [ratio(times, peer, "one", 0), ratio(times, peer, "one", 1), ratio(times, peer, "all", 1)]
        print(f"{'':<18} {peer:<12} {values[0]:9.2f} {values[1]:9.2f} {values[2]:12.2f}", flush=True)


def compare(title, index, inputs, peers, rounds):
    codecs = {"one": kostka_with(1)[index], "all": kostka_with(0)[index]}
    codecs |= {name: pair[index] for name, pair in peers.items()}
    table(title, measure(codecs, inputs, rounds), peers)


def large(photos, sizes, peers, rounds):
    print(
        f"{'':<31} {'processor':>9} {'wall':>9} {'wall':>12}\n{'':<31} {'1 thread':>9} {'1 thread':>9} {'all threads':>12}"
    )
    for size in sizes:
        height = round((size * 1e6 / ASPECT) ** 0.5)
        pixels = [read(photo, round(height * ASPECT), height) for photo in photos]
        files = [kostka.encode(one, quality=QUALITY) for one in pixels]
        compare(f"decode {size} MPix", 0, files, peers, rounds)
        compare(f"encode {size} MPix", 1, pixels, peers, rounds)


def small(photos, peers, rounds):
    print(f"{'microseconds a call':<22}" + "".join(f"{name:>14}" for name in ("kostka", *peers)))
    for side in (64, 256):
        pixels = [read(photo, side, side) for photo in photos]
        files = [kostka.encode(one, quality=QUALITY) for one in pixels]
        for title, index, inputs in (("decode", 0, files), ("encode", 1, pixels)):
            codecs = {"kostka": kostka_with(1)[index]} | {name: pair[index] for name, pair in peers.items()}
            times = measure(codecs, inputs, rounds, repeat=50)
            medians = [statistics.median(t[0] for t in times[name]) * 1e6 for name in codecs]
            print(f"{title} {side}x{side}".ljust(22) + "".join(f"{value:14.1f}" for value in medians), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pixels", default="2,8,18", help="millions")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    peers = find_peers()
    if options.small:
        small(options.photos, peers, options.rounds)
    else:
        large(options.photos, [int(size) for size in options.pixels.split(",")], peers, options.rounds)


if __name__ == "__main__":
    main()
