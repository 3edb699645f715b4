# SPDX-License-Identifier: BSD-2-Clause
"""Whether a library or program has all fat binaries that nvcc has made, byte by byte: kernels.py FOLDER FILE"""

import pathlib
import sys

folder, file = map(pathlib.Path, sys.argv[1:])
content = file.read_bytes()
made = sorted(folder.glob("*.fatbin"))
if len(made) < 5:
    sys.exit(f"{folder} has only {len(made)} fat binaries")
for kernels in made:
    if kernels.read_bytes() not in content:
        sys.exit(f"{file} lacks {kernels}")
print(f"{len(made)} modules of kernels for CUDA, {sum(kernels.stat().st_size for kernels in made) // 1000} kB, are in {file.name}")
