#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the PSNR of HTJ2K from Kostka with that from OpenJPH at the same size, for pictures at half their size.

bench/ht_quality.py RATIO[,RATIO...] PICTURE.jpg...: the package `kostka` must be found (PYTHONPATH=build/python), and
`imagecodecs`, which holds OpenJPH. OpenJPH has no rates; its step is the finest by which it makes no more bytes than
the ratio allows. Printed are means, and lowest and highest differences in decibels.
"""
import sys

import imagecodecs
import kostka
import numpy


def half_of(path):
    with open(path, "rb") as file:
        picture = imagecodecs.jpeg8_decode(file.read())
    height, width = picture.shape[0] // 2, picture.shape[1] // 2
    parts = picture[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3)
    return numpy.ascontiguousarray(parts.mean((1, 3)).round().astype("u1"))


def psnr(picture, coded):
    error = numpy.asarray(kostka.decode(coded)).astype(float) - picture
    return 10 * numpy.log10(255**2 / max((error**2).mean(), 1e-9))


def peer(picture, ratio):
    low, high = 1e-4, 0.3
    for _ in range(16):
        step = (low * high) ** 0.5
        if len(imagecodecs.htj2k_encode(picture, level=step, reversible=False)) * ratio > picture.nbytes:
            low = step
        else:
            high = step
    return imagecodecs.htj2k_encode(picture, level=high, reversible=False)


def main():
    pictures = [half_of(path) for path in sys.argv[2:]]
    context = kostka.Context(device="cpu", threads=1)
    ways = {
        "one cleanup pass": {"codec": "jhc"},
        "three passes": {"codec": "jhc", "passes": 3},
        "Part 1": {"codec": "j2k"},
    }
    for ratio in map(float, sys.argv[1].split(",")):
        theirs = [psnr(picture, peer(picture, ratio)) for picture in pictures]
        for name, options in ways.items():
            gains = []
            for picture, their in zip(pictures, theirs):
                coded = context.encode(picture, ratio=ratio, **options)
                assert len(coded) * ratio <= picture.nbytes
                gains.append(psnr(picture, coded) - their)
            mean = sum(gains) / len(gains)
            print(f"{ratio:g}:1, {name}: {mean:+.3f} ({min(gains):+.3f} – {max(gains):+.3f})", flush=True)


main()
