#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds and installs what recipe.yaml makes a package of. conda sets PREFIX, PYTHON, CMAKE_ARGS and, for kernels for CUDA, the
# environment may set KOSTKA_CUDA_ARCHITECTURES where it has nvcc.
set -eu
# shellcheck disable=SC2086 # CMAKE_ARGS are words
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$PREFIX" \
    -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_PREFIX_PATH=$PREFIX" -DKOSTKA_SHARED=ON \
    "-DKOSTKA_CUDA_ARCHITECTURES=${KOSTKA_CUDA_ARCHITECTURES:-}" -DKOSTKA_TESTS=OFF -DKOSTKA_EXAMPLES=OFF -DKOSTKA_BENCH=OFF \
    -DKOSTKA_PLUGINS=OFF "-DPython_EXECUTABLE=$PYTHON"
cmake --build build-conda -j "${CPU_COUNT:-2}"
cmake --install build-conda
KOSTKA_PYTHON_BUILD=$PWD/build-conda "$PYTHON" -m pip install --no-deps --no-build-isolation --no-index ./python
