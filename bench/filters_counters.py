#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints what the counters of an NVIDIA GPU say of each filter, as one table, by Nsight Compute (ncu).

    filters_counters.py [--ncu NCU] build/bench/kostka-filters FILE.jpg [CHAIN...]

For each chain: kernels, milliseconds, megabytes that crossed the device's memory, their share of its rate, occupancy
(warps there are of those there may be), how full warps are (32 lanes of 32 that execute an instruction: 100%; less by
divergence), and operations a byte: integer, and in floating point, of lanes, for each byte that crossed the memory.
ncu replays kernels with caches emptied and the clock as it is; kernels of one call are added up, and shares are weighed
by time. `sobel` runs between the chains, so that their kernels can be told apart.
"""
import argparse
import csv
import io
import subprocess
import sys

MARK, MARK_KERNEL, CALLS = "sobel", "filter_sobel", 3  # kostka-filters -k 1 applies a chain three times
METRICS = {
    "time": "gpu__time_duration.sum",
    "bytes": "dram__bytes.sum",
    "share": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "lanes": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "warps": "smsp__inst_executed.sum",
    "integer": "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
    "single": "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
    "double": "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
}
CHAINS = """crop=1920x1080:960:540 resize=1920x1080:exact:lanczos rotate=90 flip=vertical grey depth=16 invert
levels=20:200 equalise normalise matrix=0.393:0.769:0.189:0.349:0.686:0.168:0.272:0.534:0.131 rgb channel=red
warp=0.9:0.1:5:-0.1:0.9:40 warp=0.9:0.1:5:-0.1:0.9:40:weights=bicubic gaussian=1.5 median=1 median=3 bilateral=30:3:4
sharpen canny=50:150 grey,canny=50:150 oil=4:8 cartoon painterly lines""".split()
UNITS = {"nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3, "second": 1, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
UNITS |= {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def launches(text):
    """Return the kernels in their order, each with its name and values in seconds, bytes and numbers."""
    rows = csv.DictReader(io.StringIO(text[text.index('"ID"') :]))
    found = {}
    for row in rows:
        entry = found.setdefault(int(row["ID"]), {"name": row["Kernel Name"]})
        value = float(row["Metric Value"].replace(",", "")) * UNITS.get(row["Metric Unit"], 1)
        entry[row["Metric Name"]] = value
    return [found[key] for key in sorted(found)]


def divide(kernels):
    """Return the kernels of the mark's first run, and those between marks."""
    marks, parts, inside = [], [], False
    for kernel in kernels:
        if MARK_KERNEL in kernel["name"]:
            marks.append(kernel)
            inside = False
            continue
        if not inside:
            parts.append([])
            inside = True
        parts[-1].append(kernel)
    return marks[:CALLS], parts


def row(chain, kernels):
    """Return a row of the table."""
    total = {key: sum(kernel.get(name, 0) for kernel in kernels) / CALLS for key, name in METRICS.items()}

    def weighed(key, by="time"):
        weight = sum(kernel.get(METRICS[by], 0) for kernel in kernels)
        return sum(kernel.get(METRICS[key], 0) * kernel.get(METRICS[by], 0) for kernel in kernels) / max(weight, 1e-30)

    floating = total["single"] + total["double"]
    return (
        f"| `{chain}` | {len(kernels) // CALLS} | {total['time'] * 1e3:.3f} | {total['bytes'] / 1e6:.1f} "
        f"| {weighed('share'):.0f}% | {weighed('occupancy'):.0f}% | {weighed('lanes', 'warps') / 32 * 100:.0f}% "
        f"| {total['integer'] / max(total['bytes'], 1):.1f} | {floating / max(total['bytes'], 1):.2f} |"
    )


def main():
    """Run the chains under ncu, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("chain", nargs="*")
    arguments = parser.parse_args()
    chains = arguments.chain or CHAINS
    marked = [MARK] + [part for chain in chains for part in (chain, MARK)]
    command = [arguments.ncu, "--csv", "--clock-control", "none", "--kernel-name", "regex:filter_|resize_"]
    command += ["--metrics", ",".join(METRICS.values()), arguments.program, "-d", "cuda", "-k", "1", arguments.file]
    done = subprocess.run(command + marked, capture_output=True, text=True, check=False)
    if '"ID"' not in done.stdout:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    marks, parts = divide(launches(done.stdout))
    if len(parts) != len(chains):
        sys.exit(f"{len(parts)} chains were found among the kernels, of {len(chains)}")
    print("| chain | kernels | ms | MB | memory | occupancy | lanes | integer a byte | FLOP a byte |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for chain, kernels in [(MARK, marks), *zip(chains, parts)]:
        print(row(chain, kernels))


main()
