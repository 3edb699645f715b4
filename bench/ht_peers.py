#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Decodes a picture of T.814 with Kostka and with OpenJPH, in turn; OpenJPH has one thread.

bench/ht_peers.py PICTURE.jpg [ROUNDS [THREADS]]: the package `kostka` must be found (PYTHONPATH=build/python), and
`imagecodecs`, which holds OpenJPH and codes the picture: lossless, and irreversible at 20:1. Kostka has one thread, or
THREADS of them. The times are from memory to memory, medians and least of all rounds: with one thread the process's
processor time, with more the elapsed time, for which the processor must be free; a pause before each run leaves it to
others if this runs first (`chrt -f 20`).
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


def timed(decode, data, threads):
    clock = time.process_time if threads == 1 else time.perf_counter
    time.sleep(0 if threads == 1 else 0.2)
    start = clock()
    decoded = decode(data)
    return clock() - start, decoded


def main():
    with open(sys.argv[1], "rb") as file:
        picture = imagecodecs.jpeg8_decode(file.read())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    context = kostka.Context(device="cpu", threads=threads)
    for name, data in (("lossless", imagecodecs.htj2k_encode(picture)), ("20:1", at_ratio(picture, 20))):
        times = [], []
        for _ in range(rounds):
            for list_, decode in zip(times, (imagecodecs.htj2k_decode, context.decode)):
                seconds, decoded = timed(decode, data, threads)
                list_.append(seconds)
        error = numpy.asarray(decoded).astype(int) - picture
        print(
            f"{name}: {len(data)} bytes, OpenJPH {statistics.median(times[0]):.4f} s ({min(times[0]):.4f}), "
            f"Kostka {statistics.median(times[1]):.4f} s ({min(times[1]):.4f}), "
            f"{statistics.median(a / b for a, b in zip(*times)):.2f} times as fast; mean squared error {(error**2).mean():.4f}"
        )


main()
