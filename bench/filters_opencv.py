#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what OpenCV takes for filters of kostka-filters: filters_opencv.py [-t THREADS] [-k RUNS] FILE [CHAIN...]."""
import argparse
import statistics
import time

import cv2

CASES = {
    "grey": lambda p: cv2.cvtColor(p, cv2.COLOR_RGB2GRAY),
    "gaussian=1.5": lambda p: cv2.GaussianBlur(p, (0, 0), 1.5),
    "median=1": lambda p: cv2.medianBlur(p, 3),
    "median=3": lambda p: cv2.medianBlur(p, 7),
    "grey,canny=50:150": lambda p: cv2.Canny(cv2.cvtColor(p, cv2.COLOR_RGB2GRAY), 50, 150),
    "canny=50:150": lambda p: cv2.Canny(p, 50, 150),
    "bilateral=30:3:4": lambda p: cv2.bilateralFilter(p, 9, 30, 3),
}
if hasattr(cv2, "xphoto"):  # of opencv-contrib-python-headless
    CASES["oil=4:8"] = lambda p: cv2.xphoto.oilPainting(p, 4, 8, code=cv2.COLOR_RGB2GRAY)
    CASES["oil=4:1"] = lambda p: cv2.xphoto.oilPainting(p, 4, 1, code=cv2.COLOR_RGB2GRAY)


def measure(function, picture, runs):
    """Return the medians of time and processor time, in milliseconds."""
    wall, processor = [], []
    function(picture)
    for _ in range(runs):
        start, used = time.perf_counter(), time.process_time()
        function(picture)
        wall.append((time.perf_counter() - start) * 1e3)
        processor.append((time.process_time() - used) * 1e3)
    return statistics.median(wall), statistics.median(processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-t", type=int, default=0)
    parser.add_argument("-k", type=int, default=11)
    parser.add_argument("file")
    parser.add_argument("chain", nargs="*")
    arguments = parser.parse_args()
    if arguments.t:
        cv2.setNumThreads(arguments.t)
    picture = cv2.cvtColor(cv2.imread(arguments.file), cv2.COLOR_BGR2RGB)
    print(f"OpenCV {cv2.__version__}, {picture.shape[1]}x{picture.shape[0]}, {cv2.getNumThreads()} threads")
    for chain in arguments.chain or CASES:
        wall, processor = measure(CASES[chain], picture, arguments.k)
        print(f"{chain:32} {wall:9.2f} ms {processor:9.2f} ms of processors")


main()
