#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finds out which decoders decode which encoders' streams of T.814 to the same pixels.

bench/ht_matrix.py KOSTKA PICTURE.ppm: the command line, OpenJPEG's and Grok's (opj_decompress, grk_compress,
grk_decompress) and the package `imagecodecs`, which holds OpenJPH, take part. Prints a table in Markdown with a line for
each stream. "same" means the source's pixels or, for lossy streams, those of the encoder's own decoder; otherwise the
greatest difference from these is shown, or that decoding fails.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import imagecodecs
import numpy

KOSTKA = (
    ("", True),
    ("--tiles 100x70", True),
    ("--levels 0", True),
    ("--levels 8 --codeblock 4x256", True),
    ("--progression CPRL --precincts 64x64,32x32", True),
    ("--sop --eph --plt --tlm", True),
    ("--style ht,causal", True),
    ("--layers 3", True),
    ("--interest 40x30+20+20", True),
    ("--step 2", False),
    ("-q 85", False),
    ("--ratio 10", False),
    ("--ratio 10 --reversible", False),
    ("--ratio 10 --passes 2", False),
    ("--ratio 10 --passes 3", False),
    ("--ratio 40,20,10 --layers 3", False),
)
OPENJPH = (
    ("", {}, True),
    ("resolutions=2", {"resolutions": 2}, True),
    ("tile=(96, 64)", {"tile": (96, 64)}, True),
    ("tilepart=1, tlm=True", {"tilepart": 1, "tlm": True}, True),
    ("level=0.002, reversible=False", {"level": 0.002, "reversible": False}, False),
    ("level=0.02, reversible=False, tile=(90, 90)", {"level": 0.02, "reversible": False, "tile": (90, 90)}, False),
)
GROK = (
    ("", True),
    ("-p RPCL -c [64,64],[32,32]", True),
    ("-t 100,70", True),
    ("-b 32,32", True),
    ("-I", False),
    ("-I -t 90,90", False),
)


def read_ppm(path):
    """Return the samples of a binary PPM, or None if there is none."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    data = path.read_bytes()
    fields, at = [], 0
    while len(fields) < 4:
        end = data.index(b"\n", at)
        line = data[at:end]
        at = end + 1
        fields += [] if line.startswith(b"#") else line.split()
    width, height = int(fields[1]), int(fields[2])
    return numpy.frombuffer(data, numpy.uint8, width * height * 3, at).reshape(height, width, 3).astype(int)


def run(folder, command):
    found = folder / "found.ppm"
    found.unlink(missing_ok=True)
    done = subprocess.run([*command, str(found)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return read_ppm(found) if done.returncode == 0 else None


def by_openjph(stream):
    try:
        return imagecodecs.htj2k_decode(stream.read_bytes()).astype(int)
    except Exception:  # whatever the package raises
        return None


def decode_all(kostka, folder, stream):
    return {
        "Kostka": run(folder, [kostka, "decode", str(stream)]),
        "OpenJPH": by_openjph(stream),
        "OpenJPEG": run(folder, ["opj_decompress", "-i", str(stream), "-o"]),
        "Grok": run(folder, ["grk_decompress", "-i", str(stream), "-o"]),
    }


def word(expected, found):
    if found is None or expected is None or found.shape != expected.shape:
        return "fails"
    most = int(abs(found - expected).max())
    return "same" if most == 0 else f"differs by {most}"


def row(encoder, options, expected, found):
    words = " | ".join(word(found[encoder] if expected is None else expected, picture) for picture in found.values())
    print(f"| {encoder} | `{options or '(defaults)'}` | {words} |", flush=True)


def main():
    kostka, picture = sys.argv[1:]
    pixels = read_ppm(Path(picture))
    print("| encoder | options | Kostka | OpenJPH | OpenJPEG | Grok |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for options, lossless in KOSTKA:
            stream = folder / "stream.jph"
            how = options.split() if "ht," in options else ["--ht", *options.split()]
            subprocess.run([kostka, "encode", *how, picture, str(stream)], check=True)
            row("Kostka", options, pixels if lossless else None, decode_all(kostka, folder, stream))
        for options, how, lossless in OPENJPH:
            stream = folder / "stream.jhc"
            stream.write_bytes(imagecodecs.htj2k_encode(pixels.astype(numpy.uint8), **how))
            row("OpenJPH", options, pixels if lossless else None, decode_all(kostka, folder, stream))
        for options, lossless in GROK:
            stream = folder / "grok.j2c"
            how = ["-M", "64", *options.split()]
            subprocess.run(
                ["grk_compress", *how, "-i", picture, "-o", str(stream)], check=True, stdout=subprocess.DEVNULL
            )
            row("Grok", options, pixels if lossless else None, decode_all(kostka, folder, stream))


main()
