#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures filters of peers beside kostka-filters: NPP, cuCIM and CuPy on the same GPU, OpenCV on all cores.

    filters_gpu_peers.py [--npp FOLDER] [--rounds 3] [--runs 21] [--size 3840x2160] [--device cuda] [--json OUT]
                         build/bench/kostka-filters FILE...

Whichever peer is found is measured; CuPy is needed for device memory and events. NPP's libraries are loaded from a
folder (that of the wheel nvidia-npp: nvidia/cu13/lib) or where the loader finds them; cuCIM, CuPy and OpenCV are
imported. Each photograph is scaled to fill the size. A round goes through all photographs, and for each measures
Kostka and then every peer; the medians over rounds and photographs are printed in one table, in milliseconds. On a GPU
the picture and each result lie in device memory, and the times are the device's, by events around one call, and that
of a call of many that are made one behind the other before the device is waited for. Kostka's two are the device's
time and that of a call which waits. OpenCV's picture lies in host memory, and its time is that of a call on all cores.
A peer's filter stands beside the one that is nearest to it, and the note says what differs. Filters of grey pictures
are measured with the same photographs in grey. With --device cpu Kostka and OpenCV are compared on the processor; the
first column is then the time of a call, the second the processor time.
"""
import argparse
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

REPLICATE, SOBEL, MASK_3X3, L1, LINEAR, LANCZOS, LANCZOS3_ADVANCED = 2, 0, 200, 1, 2, 16, 17
CHAINS = {
    "canny": "grey,canny=50:150",
    "canny of grey": "canny=50:150",
    "bilateral": "bilateral=30:3:4",
    "oil": "oil=4:8",
    "gaussian": "gaussian=1.5",
    "median3": "median=1",
    "median7": "median=3",
    "sobel": "grey,sobel=shown=length",
    "sharpen": "sharpen",
    "equalise": "grey,equalise",
    "resize": "resize=1920x1080:exact:lanczos",
    "warp": "warp=0.9:0.1:5:-0.1:0.9:40",
}
OF_GREY = ("canny of grey",)


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
    """Load the libraries, the core first, or return None."""
    loaded = []
    for name in ("libnppc.so.13", "libnppif.so.13", "libnppig.so.13", "libnppicc.so.13"):
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


def distance_note(cupy, colours, half):
    """Say how far a picture is from Pillow's, whose bytes are Kostka's."""
    from PIL import Image

    height, width, _ = half.shape
    wanted = Image.fromarray(cupy.asnumpy(colours)).resize((width, height), Image.Resampling.LANCZOS)
    difference = np.abs(cupy.asnumpy(half).astype(int) - np.asarray(wanted).astype(int)).mean()
    return f"{difference:.2f} from Kostka's samples in the mean"


def npp_cases(cupy, libraries, colours, grey):
    """Return NPP's filters: for each what it is compared with, a call and a note. A variant's name has a slash in it."""
    _, filtering, geometry, colour = libraries
    height, width, _ = colours.shape
    stream, size, origin = stream_context(cupy), Size(width, height), Size(0, 0)
    made, made_grey, light = cupy.empty_like(colours), cupy.empty_like(grey), cupy.empty_like(grey)
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

    def canny():
        checked(
            filtering.nppiFilterCannyBorder_8u_C1R_Ctx, *place(grey), size, origin, *place(made_grey), size, SOBEL,
            MASK_3X3, ctypes.c_int16(50), ctypes.c_int16(150), L1, REPLICATE, ctypes.c_void_p(scratch.data.ptr), stream,
        )  # fmt: skip

    def canny_of_colours():
        checked(colour.nppiRGBToGray_8u_C3C1R_Ctx, *place(colours), *place(light), size, stream)
        canny()

    def resize(weights):
        """Return a call and how far its result is from Kostka's."""

        def call():
            checked(
                geometry.nppiResize_8u_C3R_Ctx, *place(colours), size, whole, *place(half), Size(1920, 1080), small,
                weights, stream,
            )  # fmt: skip

        try:
            call()
            return call, distance_note(cupy, colours, half)
        except RuntimeError as error:  # which measuring will meet again, and leave this filter out
            return call, str(error)

    taps = np.exp(-np.arange(-5, 6) ** 2 / (2 * 1.5**2)).astype(np.float32)
    weights = cupy.asarray(taps / taps.sum())
    matrix = (ctypes.c_double * 6)(0.9, 0.1, 5, -0.1, 0.9, 40)
    whole, small = Rect(0, 0, width, height), Rect(0, 0, 1920, 1080)
    (advanced, advanced_note), (few, few_note) = resize(LANCZOS3_ADVANCED), resize(LANCZOS)
    return {
        "canny": (canny_of_colours, "with nppiRGBToGray"),
        "canny of grey": (canny, ""),
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
        "resize": (advanced, f"LANCZOS3_ADVANCED; {advanced_note}"),
        "resize/few": (few, f"LANCZOS: few pixels, whatever the scale; {few_note}"),
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
        "canny of grey": (
            lambda: feature.canny(single_grey, 1.0, 50 / 255, 150 / 255),
            "smooths first; skimage's thresholds",
        ),
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


def cupy_cases(colours, grey):
    """Return the filters that CuPy has itself, in cupyx.scipy.ndimage."""
    from cupyx.scipy import ndimage

    return {
        "gaussian": (lambda: ndimage.gaussian_filter(colours, (1.5, 1.5, 0)), "bytes, rounded after each direction"),
        "median3": (lambda: ndimage.median_filter(colours, (3, 3, 1)), ""),
        "median7": (lambda: ndimage.median_filter(colours, (7, 7, 1)), ""),
        "sobel": (lambda: ndimage.gaussian_gradient_magnitude(grey, 1.0), "derivatives of a Gaussian"),
    }


def opencv_cases(cv2, colours, grey):
    """Return OpenCV's filters, of pictures in host memory."""
    matrix = np.array([[0.9, 0.1, 5], [-0.1, 0.9, 40]])
    size = colours.shape[1], colours.shape[0]

    def sobel():
        dx, dy = (cv2.Sobel(grey, cv2.CV_16S, *axis, ksize=3) for axis in ((1, 0), (0, 1)))
        return cv2.magnitude(dx.astype(np.float32), dy.astype(np.float32))

    cases = {
        "canny": (lambda: cv2.Canny(cv2.cvtColor(colours, cv2.COLOR_RGB2GRAY), 50, 150), "the same bytes"),
        "canny of grey": (lambda: cv2.Canny(grey, 50, 150), "the same bytes"),
        "bilateral": (lambda: cv2.bilateralFilter(colours, 9, 30, 3), ""),
        "gaussian": (lambda: cv2.GaussianBlur(colours, (0, 0), 1.5), "the same bytes"),
        "median3": (lambda: cv2.medianBlur(colours, 3), "the same bytes"),
        "median7": (lambda: cv2.medianBlur(colours, 7), "the same bytes"),
        "sobel": (sobel, "binary32"),
        "equalise": (lambda: cv2.equalizeHist(grey), "of grey; Kostka's makes that first"),
        "resize": (lambda: cv2.resize(colours, (1920, 1080), interpolation=cv2.INTER_LANCZOS4), "8 taps"),
        "warp": (
            lambda: cv2.warpAffine(colours, matrix, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP),
            "bilinear",
        ),
    }
    if hasattr(cv2, "xphoto"):  # of opencv-contrib-python-headless
        cases["oil"] = (
            lambda: cv2.xphoto.oilPainting(colours, 4, 8, code=cv2.COLOR_RGB2GRAY),
            "the same bytes",
        )
    return cases


def measure_device(cupy, call, runs):
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


def measure_host(call, runs):
    """Return the medians of the time of a call, and of the processor time of all its threads."""
    call()
    taken = []
    for _ in range(runs):
        start, used = time.perf_counter(), time.process_time()
        call()
        taken.append(((time.perf_counter() - start) * 1e3, (time.process_time() - used) * 1e3))
    return tuple(statistics.median(part) for part in zip(*taken))


def measure_kostka(program, device, paths, runs):
    """Return the device's time and that of a call, for each chain; on the CPU a call's time and processor time."""
    found = {}
    for is_grey, picture in enumerate(paths):
        chains = {name: chain for name, chain in CHAINS.items() if (name in OF_GREY) == bool(is_grey)}
        command = [program, "-d", device, "-k", str(runs), picture, *chains.values()]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        times = {}
        for line in text.splitlines():
            match = re.match(r"(\S+)\s+([\d.]+) ms\s+([\d.]+) ms of (the device|processors)", line)
            if match:
                times[match[1]] = (float(match[3]), float(match[2]))[:: 1 if match[4] == "the device" else -1]
        found |= {name: times[chain] for name, chain in chains.items()}
    return found


class Peers:
    """The peers that are there: for each of them how it is measured, and its filters for a picture."""

    def __init__(self, device, folder):
        self.cupy, self.made = None, {}
        if device.startswith("cuda"):
            self.find_device_peers(folder)
        try:
            import cv2

            cv2.setNumThreads(os.cpu_count())
            self.made["OpenCV"] = lambda colours, grey: opencv_cases(cv2, colours, grey)
        except ImportError as error:
            print(f"OpenCV: {error}", file=sys.stderr)

    def find_device_peers(self, folder):
        """Look for the peers on the GPU."""
        try:
            import cupy
        except ImportError as error:
            print(f"CuPy, and with it NPP and cuCIM: {error}", file=sys.stderr)
            return
        self.cupy = cupy
        self.made["CuPy"] = cupy_cases
        libraries = load_npp(folder)
        if libraries:
            self.made["NPP"] = lambda colours, grey: npp_cases(cupy, libraries, colours, grey)
        try:
            import cucim.skimage  # noqa: F401

            self.made["cuCIM"] = lambda colours, grey: cucim_cases(cupy, colours, grey)
        except ImportError as error:
            print(f"cuCIM: {error}", file=sys.stderr)

    def cases(self, peer, colours, grey):
        """Return a peer's filters for a picture, which is brought to the device if the peer works there."""
        if peer == "OpenCV":
            return self.made[peer](colours, grey)
        return self.made[peer](self.cupy.asarray(colours), self.cupy.asarray(grey))

    def measure(self, peer, call, runs):
        """Measure a call of a peer's. OpenCV gets fewer runs, since its calls may take seconds."""
        if peer == "OpenCV":
            return measure_host(call, max(1, runs // 7))
        return measure_device(self.cupy, call, runs)


def measure_peers(arguments, peers, pixels, times, notes):
    """Measure all filters of all peers on a picture. A filter that fails is left out from then on."""
    colours, grey = pixels
    for peer in peers.made:
        try:
            cases = peers.cases(peer, colours, grey)
        except Exception as error:  # neither must its lack of a filter or of memory
            print(f"{peer}: {error}", file=sys.stderr)
            continue
        for name, (call, note) in cases.items():
            if notes.setdefault((peer, name), note) is None:
                continue
            began = time.perf_counter()
            try:
                times.setdefault((peer, name), []).append(peers.measure(peer, call, arguments.runs))
            except Exception as error:  # a peer's failure must not hide the others' times
                print(f"{peer} {name}: {error}", file=sys.stderr)
                notes[(peer, name)] = None
                times.pop((peer, name), None)
            print(f"{peer} {name}: {time.perf_counter() - began:.1f} s with compiling", file=sys.stderr, flush=True)


def run(arguments, peers, pictures):
    """Measure in rounds over all photographs; return the medians of each (who, filter), and the notes."""
    times, notes = {}, {}
    for _ in range(arguments.rounds):
        for paths, pixels in pictures:
            measured = measure_kostka(arguments.program, arguments.device, paths, arguments.runs)
            for name, taken in measured.items():
                times.setdefault(("Kostka", name), []).append(taken)
            measure_peers(arguments, peers, pixels, times, notes)
    return {key: [statistics.median(part) for part in zip(*all_times)] for key, all_times in times.items()}, notes


def show(medians, notes, is_device):
    """Print the table. The ratio is that of the first column, or of the better one on a GPU: above 1 Kostka is faster."""
    heads = ("device", "call") if is_device else ("call", "processors")
    print(f"| filter | | {heads[0]} | {heads[1]} | ratio | |\n|---|---|---:|---:|---:|---|")
    for name, chain in CHAINS.items():
        own = medians[("Kostka", name)]
        note = "of grey |" if name in OF_GREY else "|"
        print(f"| `{chain}` | Kostka | {own[0]:.3f} | {own[1]:.3f} | | {note}")
        for peer, key in medians:
            if peer == "Kostka" or key.split("/")[0] != name:
                continue
            first, second = medians[(peer, key)]
            if is_device and peer == "OpenCV":
                ratio, shown, note = first / own[1], ("", f"{first:.3f}"), "host memory, all cores; "
            else:
                best = min(first, second) if is_device else first
                ratio, shown, note = best / own[0], (f"{first:.3f}", f"{second:.3f}"), ""
            note = (note + notes[(peer, key)]).strip("; ")
            print(f"| | {peer} | {shown[0]} | {shown[1]} | {ratio:.1f} | {note} |")


def read_pictures(files, size, folder):
    """Scale each photograph to fill the size; return the paths of JPEG files in RGB and grey, and the pixels of both."""
    from PIL import Image, ImageOps

    pictures = []
    for i, file in enumerate(files):
        paths = [os.path.join(folder, f"{i}{kind}.jpg") for kind in ("", "-grey")]
        with Image.open(file) as picture:
            ImageOps.fit(picture.convert("RGB"), size).save(paths[0], quality=90)
        with Image.open(paths[0]) as picture:
            picture.convert("L").save(paths[1], quality=90)
            colours = np.asarray(picture.convert("RGB"))
        with Image.open(paths[1]) as picture:
            pictures.append((paths, (colours, np.asarray(picture))))
    return pictures


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--npp", default="", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--json", default="", metavar="OUT")
    parser.add_argument("program")
    parser.add_argument("file", nargs="+")
    arguments = parser.parse_args()
    peers = Peers(arguments.device, arguments.npp)
    if not peers.made:
        sys.exit("none of NPP, cuCIM, CuPy and OpenCV is there")
    size = tuple(int(side) for side in arguments.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        pictures = read_pictures(arguments.file, size, folder)
        medians, notes = run(arguments, peers, pictures)
    print(f"{len(pictures)} photographs of {arguments.size}, {arguments.rounds} rounds of {arguments.runs} runs; ", end="")
    if peers.cupy:
        print(peers.cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), end=", ")
    print(f"{os.cpu_count()} cores\n")
    show(medians, notes, arguments.device != "cpu")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({f"{peer} {name}": taken for (peer, name), taken in medians.items()}, file, indent=1)


main()
