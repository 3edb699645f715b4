#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Decodes a picture of T.814 with Kostka and with OpenJPH, in turn and on one thread each.

bench/ht_peers.py PICTURE.jpg [ROUNDS]: the package `kostka` must be found (PYTHONPATH=build/python), and `imagecodecs`,
which holds OpenJPH and codes the picture: lossless, and irreversible at 20:1. The times are the process's processor time
from memory to memory, medians and least of all rounds.
"""
import statistics
import sys
import time

import imagecodecs
import kostka
import numpy


def at_ratio(picture, ratio):
    """Code the picture with the coarsest step that takes at least a ratio-th of its bytes."""
    low, high = 0.0005, 0.05
    for _ in range(14):
        step = (low + high) / 2
        coded = imagecodecs.htj2k_encode(picture, level=step, reversible=False)
        if len(coded) * ratio > picture.nbytes:
            low = step
        else:
            high = step
    return coded


def timed(decode, data):
    start = time.process_time()
    decoded = decode(data)
    return time.process_time() - start, decoded


def main():
    with open(sys.argv[1], "rb") as file:
        picture = imagecodecs.jpeg8_decode(file.read())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    context = kostka.Context(device="cpu", threads=1)
    for name, data in (("lossless", imagecodecs.htj2k_encode(picture)), ("20:1", at_ratio(picture, 20))):
        times = [], []
        for _ in range(rounds):
            for list_, decode in zip(times, (imagecodecs.htj2k_decode, context.decode)):
                seconds, decoded = timed(decode, data)
                list_.append(seconds)
        error = numpy.asarray(decoded).astype(int) - picture
        print(
            f"{name}: {len(data)} bytes, OpenJPH {statistics.median(times[0]):.4f} s ({min(times[0]):.4f}), "
            f"Kostka {statistics.median(times[1]):.4f} s ({min(times[1]):.4f}), "
            f"{statistics.median(a / b for a, b in zip(*times)):.2f} times as fast; mean squared error {(error**2).mean():.4f}"
        )


main()
