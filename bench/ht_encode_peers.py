#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Encodes a picture as HTJ2K with Kostka and with OpenJPH, in turn; OpenJPH has one thread.

bench/ht_encode_peers.py PICTURE.jpg [ROUNDS [THREADS]]: the package `kostka` must be found (PYTHONPATH=build/python), and
`imagecodecs`, which holds OpenJPH: lossless, and irreversible by steps that give 20:1. Kostka has one thread, or THREADS
of them. The times are from memory to memory, medians and least of all rounds: with one thread the process's processor
time, with more the elapsed time, as in bench/ht_peers.py.
"""
import statistics
import sys
import time

import imagecodecs
import kostka
import numpy


def at_ratio(picture, encode, low, high):
    """Return the coarsest step, nearly, that takes at least a 20th of the picture's bytes."""
    for _ in range(14):
        step = (low * high) ** 0.5
        if len(encode(picture, step)) * 20 > picture.nbytes:
            low = step
        else:
            high = step
    return low


def psnr(picture, coded):
    error = numpy.asarray(kostka.decode(coded)).astype(float) - picture
    return 10 * numpy.log10(255**2 / max((error**2).mean(), 1e-9))


def timed(encode, threads):
    clock = time.process_time if threads == 1 else time.perf_counter
    time.sleep(0 if threads == 1 else 0.2)
    start = clock()
    coded = encode()
    return clock() - start, coded


def main():
    with open(sys.argv[1], "rb") as file:
        picture = numpy.ascontiguousarray(imagecodecs.jpeg8_decode(file.read()))
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    context = kostka.Context(device="cpu", threads=threads)

    def theirs(pixels, step):
        return imagecodecs.htj2k_encode(pixels, level=step, reversible=False)

    def ours(pixels, step):
        return context.encode(pixels, codec="jhc", step=step)

    their_step, our_step = at_ratio(picture, theirs, 1e-4, 0.1), at_ratio(picture, ours, 0.05, 50)
    for name, pair in (
        ("lossless", (lambda: imagecodecs.htj2k_encode(picture), lambda: context.encode(picture, codec="jhc"))),
        ("20:1", (lambda: theirs(picture, their_step), lambda: ours(picture, our_step))),
        ("exactly 20:1", (lambda: theirs(picture, their_step), lambda: context.encode(picture, codec="jhc", ratio=20))),
    ):
        times, coded = ([], []), [b"", b""]
        for _ in range(rounds):
            for i, encode in enumerate(pair):
                seconds, coded[i] = timed(encode, threads)
                times[i].append(seconds)
        print(
            f"{name}: OpenJPH {len(coded[0])} bytes {statistics.median(times[0]):.4f} s ({min(times[0]):.4f}) "
            f"{psnr(picture, coded[0]):.3f} dB, Kostka {len(coded[1])} bytes {statistics.median(times[1]):.4f} s "
            f"({min(times[1]):.4f}) {psnr(picture, coded[1]):.3f} dB, "
            f"{statistics.median(a / b for a, b in zip(*times)):.2f} times as fast"
        )


main()
