#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the disparities of 'kostka filter stereo' and of OpenCV's SGBM with known ones.

    bench/stereo_truth.py KOSTKA [--device DEVICE] [--option=VALUE ...] LEFT RIGHT TRUTH DISPARITIES ...

TRUTH is a picture of whole disparities, 0 where none is known, or an .npz of numbers. Prints, in per cent of the
pixels of known disparity: those without a result, and those whose result is wrong by more than 1 and 2 pixels, of the
pixels with a result, and of all; and processor time.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np


def read_truth(path):
    if path.endswith(".npz"):
        truth = np.load(path)["arr_0"].astype(np.float64)
        truth[~np.isfinite(truth)] = 0
        return truth
    return cv2.imread(path, cv2.IMREAD_UNCHANGED).astype(np.float64)


def processor_time(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def of_kostka(options, left, right, disparities):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.pgm")
        before = processor_time(resource.RUSAGE_CHILDREN)
        subprocess.run(options + [left, right, out, "--disparities", str(disparities)], check=True)
        spent = processor_time(resource.RUSAGE_CHILDREN) - before
        return cv2.imread(out, cv2.IMREAD_UNCHANGED).astype(np.float64) / 256, spent


def of_opencv(left, right, disparities, mode):
    block, channels = 3, 3
    matcher = cv2.StereoSGBM_create(minDisparity=0, numDisparities=disparities, blockSize=block,
                                    P1=8 * channels * block**2, P2=32 * channels * block**2, disp12MaxDiff=1,
                                    preFilterCap=63, uniquenessRatio=5, mode=mode)
    images = cv2.imread(left), cv2.imread(right)
    before = time.process_time()
    found = matcher.compute(*images)
    spent = time.process_time() - before
    return np.maximum(found, 0).astype(np.float64) / 16, spent


def report(name, found, spent, truth):
    known = truth > 0
    made = known & (found > 0)
    wrong = np.abs(found - truth)
    rates = [100 * (1 - made.sum() / known.sum())]
    for limit in 1, 2:
        rates += [100 * (made & (wrong > limit)).sum() / made.sum(),
                  100 * (known & ((found <= 0) | (wrong > limit))).sum() / known.sum()]
    print(f"  {name:12} none {rates[0]:5.2f}   > 1 pixel {rates[1]:5.2f} {rates[2]:5.2f}   "
          f"> 2 pixels {rates[3]:5.2f} {rates[4]:5.2f}   {1000 * spent:6.0f} ms")


def main(arguments):
    options = [arguments[0], "filter", "stereo"]
    files = []
    for word in arguments[1:]:
        (options if word.startswith("-") else files).append(word)
    cv2.setNumThreads(1)
    while files:
        left, right, truth, disparities = files[:4]
        files = files[4:]
        known = read_truth(truth)
        print(f"{left}, {known.shape[1]}x{known.shape[0]}, {disparities} disparities")
        report("kostka", *of_kostka(options, left, right, int(disparities)), known)
        report("SGBM", *of_opencv(left, right, int(disparities), cv2.STEREO_SGBM_MODE_SGBM), known)
        report("SGBM HH", *of_opencv(left, right, int(disparities), cv2.STEREO_SGBM_MODE_HH), known)


main(sys.argv[1:])
