# SPDX-License-Identifier: BSD-2-Clause
"""The command that a wheel brings codes a picture, and has the version of the package."""

import pathlib
import subprocess
import tempfile

import kostka


def run(*words):
    return subprocess.run(("kostka", *words), check=True, capture_output=True, text=True).stdout


with tempfile.TemporaryDirectory() as folder:
    source, coded, back = (str(pathlib.Path(folder, name)) for name in ("a.ppm", "a.jp2", "b.ppm"))
    samples = bytes((x * 3 + y * 5) % 256 for y in range(90) for x in range(360))
    pathlib.Path(source).write_bytes(b"P6 120 90 255\n" + samples)
    run("encode", source, coded, "--lossless")
    run("decode", coded, back)
    assert pathlib.Path(back).read_bytes().endswith(samples), "lossless coding changes samples"
    assert bytes(kostka.decode(coded)) == samples, "the package decodes to other samples"
assert run("--version").split() == ["kostka", kostka.__version__]
print("the command works")
