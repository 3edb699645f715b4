#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures filters of GPU peers beside kostka-filters on one GPU: NPP and cuCIM, whichever is found.

    filters_gpu_peers.py [--npp FOLDER] [--rounds 3] [--runs 21] [--json OUT] build/bench/kostka-filters FILE.jpg

CuPy is needed for device memory and events. NPP's libraries are loaded from a folder (that of the wheel nvidia-npp:
nvidia/cu13/lib) or where the loader finds them; cuCIM is imported. The picture lies in device memory, and so does each
result. A round measures Kostka, then each peer, and the medians of rounds are printed, in milliseconds: the device's
time by events around one call, and the time of a call of many that are made one behind the other before the device is
waited for. Kostka's two are the device's time and that of a call which waits. A peer's filter stands beside the one
that is nearest to it, and the note says what differs.
"""
import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import time

import numpy as np

REPLICATE, SOBEL, MASK_3X3, L1, LANCZOS, LINEAR = 2, 0, 200, 1, 16, 2
CHAINS = {
    "canny": "grey,canny=50:150",
    "bilateral": "bilateral=30:3:4",
    "gaussian": "gaussian=1.5",
    "median3": "median=1",
    "median7": "median=3",
    "sobel": "grey,sobel=shown=length",
    "sharpen": "sharpen",
    "equalise": "grey,equalise",
    "resize": "resize=1920x1080:exact:lanczos",
    "warp": "warp=0.9:0.1:5:-0.1:0.9:40",
}


class Size(ctypes.Structure):
    """NppiSize, and NppiPoint."""

    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Rect(ctypes.Structure):
    """NppiRect."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int), ("height", ctypes.c_int)]


class Stream(ctypes.Structure):
    """NppStreamContext."""

    _fields_ = [
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("multiprocessors", ctypes.c_int),
        ("threads_per_multiprocessor", ctypes.c_int),
        ("threads_per_block", ctypes.c_int),
        ("shared", ctypes.c_size_t),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("workspace", ctypes.c_uint32),
    ]


def stream_context(cupy):
    """Describe the device and its default stream to NPP."""
    found = cupy.cuda.runtime.getDeviceProperties(0)
    return Stream(
        None, 0, found["multiProcessorCount"], found["maxThreadsPerMultiProcessor"], found["maxThreadsPerBlock"],
        found["sharedMemPerBlock"], found["major"], found["minor"], 0, 0,
    )  # fmt: skip


def load_npp(folder):
    """Load the three libraries, the core first, or return None."""
    loaded = []
    for name in ("libnppc.so.13", "libnppif.so.13", "libnppig.so.13"):
        try:
            loaded.append(ctypes.CDLL(os.path.join(folder, name) if folder else name, mode=ctypes.RTLD_GLOBAL))
        except OSError as error:
            print(f"NPP: {error}", file=sys.stderr)
            return None
    return loaded


def checked(function, *arguments):
    """Call a function of NPP, whose errors are negative."""
    status = function(*arguments)
    if status < 0:
        raise RuntimeError(f"{function.__name__} returned {status}")


def npp_cases(cupy, libraries, colours, grey):
    """Return NPP's filters: for each what it is compared with, a call and a note."""
    _, filtering, geometry = libraries
    height, width, _ = colours.shape
    stream, size, origin = stream_context(cupy), Size(width, height), Size(0, 0)
    made, made_grey = cupy.empty_like(colours), cupy.empty_like(grey)
    half = cupy.empty((1080, 1920, 3), cupy.uint8)
    room = ctypes.c_int(0)
    checked(filtering.nppiFilterCannyBorderGetBufferSize, size, ctypes.byref(room))
    scratch = cupy.empty(room.value, cupy.uint8)

    def place(array):
        return ctypes.c_void_p(array.data.ptr), ctypes.c_int(array.strides[0])

    def bordered(name, source, target, *values):
        function = getattr(filtering, name)
        return lambda: checked(
            function, *place(source), size, origin, *place(target), size, *values, REPLICATE, stream
        )  # fmt: skip

    def median(side):
        """The form without a border, of what lies within the picture, takes less time than that with one."""
        length = ctypes.c_uint32(0)
        inner, mask, anchor = Size(width - side, height - side), Size(side, side), Size(side // 2, side // 2)
        checked(
            filtering.nppiFilterMedianGetBufferSize_8u_C3R_Ctx, inner, mask, ctypes.byref(length), stream
        )  # fmt: skip
        buffer = cupy.empty(max(length.value, 1), cupy.uint8)
        begin = ctypes.c_void_p(colours.data.ptr + (side // 2) * (colours.strides[0] + 3))
        return lambda: checked(
            filtering.nppiFilterMedian_8u_C3R_Ctx, begin, ctypes.c_int(colours.strides[0]), *place(made), inner, mask,
            anchor, ctypes.c_void_p(buffer.data.ptr), stream,
        )  # fmt: skip

    taps = np.exp(-np.arange(-5, 6) ** 2 / (2 * 1.5**2)).astype(np.float32)
    weights = cupy.asarray(taps / taps.sum())
    matrix = (ctypes.c_double * 6)(0.9, 0.1, 5, -0.1, 0.9, 40)
    whole, small = Rect(0, 0, width, height), Rect(0, 0, 1920, 1080)
    return {
        "canny": (
            lambda: checked(
                filtering.nppiFilterCannyBorder_8u_C1R_Ctx, *place(grey), size, origin, *place(made_grey), size, SOBEL,
                MASK_3X3, ctypes.c_int16(50), ctypes.c_int16(150), L1, REPLICATE, ctypes.c_void_p(scratch.data.ptr),
                stream,
            ),
            "of grey; Kostka's makes that first",
        ),
        "bilateral": (
            bordered(
                "nppiFilterBilateralGaussBorder_8u_C3R_Ctx", colours, made, ctypes.c_int(4), ctypes.c_int(1),
                ctypes.c_float(900), ctypes.c_float(9),
            ),
            "radius 4",
        ),
        "gaussian": (
            bordered(
                "nppiFilterGaussAdvancedBorder_8u_C3R_Ctx", colours, made, ctypes.c_int(11),
                ctypes.c_void_p(weights.data.ptr),
            ),
            "11 taps",
        ),
        "median3": (median(3), "without its border"),
        "median7": (median(7), "without its border"),
        "resize": (
            lambda: checked(
                geometry.nppiResize_8u_C3R_Ctx, *place(colours), size, whole, *place(half), Size(1920, 1080), small,
                LANCZOS, stream,
            ),
            "Lanczos over few pixels, whatever the scale",
        ),
        "warp": (
            lambda: checked(
                geometry.nppiWarpAffine_8u_C3R_Ctx, ctypes.c_void_p(colours.data.ptr), size,
                ctypes.c_int(colours.strides[0]), whole, *place(made), whole, matrix, LINEAR, stream,
            ),
            "bilinear",
        ),
    }  # fmt: skip


def cucim_cases(cupy, colours, grey):
    """Return cuCIM's filters, which compute in binary32 but for the median."""
    from cucim.skimage import exposure, feature, filters, restoration, transform

    single, single_grey = colours.astype(cupy.float32) / 255, grey.astype(cupy.float32) / 255
    moved = transform.AffineTransform(matrix=cupy.array([[0.9, 0.1, 5], [-0.1, 0.9, 40], [0, 0, 1]]))
    cases = {
        "canny": (lambda: feature.canny(single_grey, 1.0, 50 / 255, 150 / 255), "smooths first; skimage's thresholds"),
        "gaussian": (lambda: filters.gaussian(single, 1.5, channel_axis=-1), "binary32"),
        "median3": (lambda: filters.median(colours, cupy.ones((3, 3, 1), bool)), ""),
        "median7": (lambda: filters.median(colours, cupy.ones((7, 7, 1), bool)), ""),
        "sobel": (lambda: filters.sobel(single_grey), "binary32"),
        "sharpen": (lambda: filters.unsharp_mask(single, 1.0, 1.0, channel_axis=-1), "binary32"),
        "equalise": (lambda: exposure.equalize_hist(grey), "of grey"),
        "resize": (lambda: transform.resize(single, (1080, 1920), order=1, anti_aliasing=True), "Gaussian and bilinear"),
        "warp": (lambda: transform.warp(single, moved, order=1), "bilinear, binary32"),
    }
    if hasattr(restoration, "denoise_bilateral"):
        cases["bilateral"] = (
            lambda: restoration.denoise_bilateral(single, 9, sigma_color=30 / 255, sigma_spatial=3, channel_axis=-1),
            "9 x 9, binary32",
        )
    return cases


def measure(cupy, call, runs):
    """Return the median of the device's times of single calls, and the time of a call among many."""
    call()
    cupy.cuda.Device().synchronize()
    alone = []
    for _ in range(runs):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        alone.append(cupy.cuda.get_elapsed_time(begin, end))
    start = time.perf_counter()
    for _ in range(runs):
        call()
    cupy.cuda.Device().synchronize()
    return statistics.median(alone), (time.perf_counter() - start) * 1e3 / runs


def measure_kostka(program, picture, runs):
    """Return the device's time and that of a call, for each chain."""
    command = [program, "-d", "cuda", "-k", str(runs), picture, *CHAINS.values()]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"(\S+)\s+([\d.]+) ms\s+([\d.]+) ms of the device", line)
        if match:
            found[match[1]] = float(match[3]), float(match[2])
    return {name: found[chain] for name, chain in CHAINS.items()}


def find_peers(cupy, folder, colours, grey):
    """Return the peers that are there."""
    peers = {}
    libraries = load_npp(folder)
    if libraries:
        peers["NPP"] = npp_cases(cupy, libraries, colours, grey)
    try:
        peers["cuCIM"] = cucim_cases(cupy, colours, grey)
    except ImportError as error:
        print(f"cuCIM: {error}", file=sys.stderr)
    return peers


def run(arguments, cupy, peers):
    """Measure in rounds, and return the times of each (who, filter)."""
    times = {}
    for _ in range(arguments.rounds):
        for name, taken in measure_kostka(arguments.program, arguments.file, arguments.runs).items():
            times.setdefault(("Kostka", name), []).append(taken)
        for peer, cases in peers.items():
            for name, (call, _) in list(cases.items()):
                began = time.perf_counter()
                try:
                    times.setdefault((peer, name), []).append(measure(cupy, call, arguments.runs))
                except Exception as error:  # a peer's failure must not hide the others' times
                    print(f"{peer} {name}: {error}", file=sys.stderr)
                    del cases[name], times[(peer, name)]
                print(f"{peer} {name}: {time.perf_counter() - began:.1f} s with compiling", file=sys.stderr, flush=True)
    return {key: [statistics.median(part) for part in zip(*rounds)] for key, rounds in times.items()}


def show(medians, peers):
    """Print the table. The ratio is that of the device's times: above 1 Kostka is faster."""
    print("| filter | | device | call | ratio | |\n|---|---|---:|---:|---:|---|")
    for name, chain in CHAINS.items():
        own = medians[("Kostka", name)]
        print(f"| `{chain}` | Kostka | {own[0]:.3f} | {own[1]:.3f} | | |")
        for peer, cases in peers.items():
            if name in cases:
                alone, call = medians[(peer, name)]
                print(f"| | {peer} | {alone:.3f} | {call:.3f} | {min(alone, call) / own[0]:.1f} | {cases[name][1]} |")


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--npp", default="", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--json", default="", metavar="OUT")
    parser.add_argument("program")
    parser.add_argument("file")
    arguments = parser.parse_args()
    import cupy
    from PIL import Image

    with Image.open(arguments.file) as picture:
        pixels = np.asarray(picture.convert("RGB"))
        brightness = np.asarray(picture.convert("L"))
    colours, grey = cupy.asarray(pixels), cupy.asarray(brightness)
    peers = find_peers(cupy, arguments.npp, colours, grey)
    if not peers:
        sys.exit("neither NPP nor cuCIM is there")
    medians = run(arguments, cupy, peers)
    print(f"{pixels.shape[1]}x{pixels.shape[0]}, {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}\n")
    show(medians, peers)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({f"{peer} {name}": taken for (peer, name), taken in medians.items()}, file, indent=1)


main()
