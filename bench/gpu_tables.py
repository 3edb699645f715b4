#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write what bench/gpu.sh measured into the tables of the documentation.

    bench/gpu_tables.py RESULTS.json [FILE ...]

Each FILE (README.md, docs/performance.md and docs/performance/gpus.md of this checkout) has places such as

    <!-- gpu.sh: NAME -->
    ...
    <!-- end -->

Lines between are made anew. Times are in milliseconds. A place none of whose times was measured keeps its lines.
"""
import json
import os
import re
import sys

LARGE = (3840, 2160)
SMALL = (1920, 1080)
NVJPEG = ["nvJPEG", "nvJPEG hardware", "nvJPEG gpu_hybrid"]
TURBO = ["libjpeg-turbo, 1 thread", "libjpeg-turbo, all threads"]


class Results:
    """Finds measurements, by what gpu.sh and 'kostka bench' call them."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
        self.runs, self.date, self.driver = root["runs"], root.get("date", ""), root["driver"]

    def all(self, kind, device, coding, size, batch):
        for run in self.runs:
            if run["kind"] != kind or run["coding"] != coding or not run["device"].startswith(device):
                continue
            for file in (run["result"] or {}).get("files", []):
                if "median_seconds" not in file or (size and (file["width"], file["height"]) != size):
                    continue
                if file["batch"] == batch:
                    yield file

    def own_psnr(self, peer, kind, coding, size=LARGE, batch=1):
        """The PSNR of what Kostka encoded, beside a peer that is not exact; of it or of any engine with its bytes."""
        if not kind.startswith("encode") or peer is None or peer.get("identical") is not False:
            return None
        found = [one for one in self.all(kind, "cuda", coding, size, batch) if one.get("identical") and "psnr" in one]
        return found[0]["psnr"] if found else None

    def best(self, engines, kind, coding, size=LARGE, batch=1, device="cuda"):
        """The fastest of some engines; None if none of them was measured."""
        found = [one for one in self.all(kind, device, coding, size, batch) if one["engine"] in engines]
        return min(found, key=lambda one: one["median_seconds"], default=None)


def figures(milliseconds):
    """Three digits that count, as in the tables: 0.236, 5.41, 43.1, 162."""
    digits = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1 if milliseconds < 100 else 0
    return f"{milliseconds:.{digits}f}"


def time_of(one):
    return figures(one["median_seconds"] * 1e3) if one else "–"


def right(one):
    """A time of Kostka's. Nothing that is not the CPU's result is printed."""
    if one and one.get("identical") is not True:
        raise SystemExit(f"a result is not the CPU's: {one['file']}, {one['batch']} at once")
    return time_of(one)


def decibels(psnr):
    return f"{psnr:.1f} dB"


def ours(one, psnr=None):
    """Kostka's time, and the PSNR of what it encoded, where a peer's is printed too."""
    return (f"**{right(one)}**" + (f" ({decibels(psnr)})" if psnr else "")) if one else "–"


def theirs(one, name=False):
    """A peer's time, how it was driven, and its PSNR where its result is not exact."""
    if one is None:
        return "–"
    notes = []
    if name:
        notes.append(one["engine"].replace("nvJPEG hardware", "hardware").replace("libjpeg-turbo, ", ""))
    if one.get("callers", 0) > 1 or one.get("states", 0) > 1:
        notes.append(f"{one['callers']} threads" + (f" × {one['states']}" if one["states"] > 1 else ""))
    if one.get("identical") is False and "psnr" in one:
        notes.append(decibels(one["psnr"]))
    return time_of(one) + (f" ({', '.join(notes)})" if notes else "")


def ratio(own, peer):
    return f"{peer['median_seconds'] / own['median_seconds']:.1f}" if own and peer else "–"


def helped(one):
    """Return how many of the CPU's threads helped a device."""
    return f", {one['threads']} threads of the CPU help" if one and one.get("threads", 1) > 1 else ""


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def head(*cells):
    return [row(*cells), "|---|" + "---:|" * (len(cells) - 1)]


def jpeg(results):
    lines = head("JPEG, milliseconds", "CUDA", "OpenCL", "nvJPEG, its best", "libjpeg-turbo", "ratio to nvJPEG")
    for verb in "decode", "encode":
        for coding in "90 420", "75 420", "90 444", "75 444":
            for size in LARGE, SMALL:
                for batch in 1, 4, 16, 64:
                    what = (f"{verb} batch", coding, size, batch)
                    own = results.best(["kostka"], *what)
                    other = results.best(["kostka"], *what, device="opencl")
                    peer = results.best(NVJPEG, *what)
                    if own is None and other is None:
                        continue
                    quality, sampling = coding.split()
                    name = f"{verb} {batch} × " if batch > 1 else f"{verb} "
                    psnr = results.own_psnr(peer, *what)
                    lines.append(row(f"{name}{size[0]}×{size[1]}, q{quality} {':'.join(sampling)}", ours(own, psnr),
                                     ours(other), theirs(peer, verb == "decode"),
                                     theirs(results.best(TURBO, *what)), ratio(own, peer)))
    return lines


OTHERS = [("encode optimized", "encode 3840×2160, optimised tables", LARGE, 1),
          ("encode optimized 64", "encode 64 of them, optimised tables", LARGE, 64),
          ("decode restart", "decode 3840×2160, a restart marker every 8 MCUs", LARGE, 1),
          ("decode progressive", "decode 3840×2160, progressive (entropy coding on the CPU)", LARGE, 1),
          ("decode host", "decode 3840×2160 from plain to plain host memory", LARGE, 1),
          ("decode host", "decode 1920×1080 likewise", SMALL, 1),
          ("encode host", "encode 3840×2160 likewise", LARGE, 1),
          ("encode host", "encode 1920×1080 likewise", SMALL, 1)]


def others(results):
    lines = head("JPEG q90 4:2:0, milliseconds", "CUDA", "OpenCL", "nvJPEG")
    for kind, name, size, batch in OTHERS:
        what = (kind, "90 420", size, batch)
        peer = results.best(NVJPEG, *what)
        lines.append(row(name, ours(results.best(["kostka"], *what), results.own_psnr(peer, *what)),
                         ours(results.best(["kostka"], *what, device="opencl")), theirs(peer)))
    return lines


def j2k(results):
    """JPEG 2000 or HTJ2K, each coding with and without the CPU's help."""
    lines = head("3840×2160, milliseconds", "CUDA", "OpenCL", "nvJPEG2000 (threads × states)", "ratio")
    for verb in "decode", "encode":
        for coding in ("j2k lossless", "j2k lossless alone", "j2k lossless 32x32", "j2k 20:1", "j2k 20:1 alone",
                       "j2k 20:1 32x32", "ht lossless", "ht step", "ht 20:1"):
            for batch in 1, 32:
                what = (f"{verb} batch", coding, LARGE, batch)
                own = results.best(["kostka"], *what)
                other = results.best(["kostka"], *what, device="opencl")
                if own is None and other is None:
                    continue
                peer = results.best(["nvJPEG2000"], *what)
                name = coding.replace("j2k", "JPEG 2000").replace("ht", "HTJ2K").replace("32x32", "with 32×32 blocks")
                name = name.replace(" alone", ", the device alone").replace("step", "by step 2")
                lines.append(row(f"{verb} {batch}, {name}{helped(own or other)}",
                                 ours(own, results.own_psnr(peer, *what)), ours(other), theirs(peer), ratio(own, peer)))
    for coding, name in (("j2k lossless", "JPEG 2000 to HTJ2K, lossless"), ("j2k 20:1", "JPEG 2000 to HTJ2K, 20:1"),
                         ("ht lossless", "HTJ2K to JPEG 2000, lossless")):
        for batch in 1, 32:
            what = ("transcode", coding, LARGE, batch)
            own, other = results.best(["kostka"], *what), results.best(["kostka"], *what, device="opencl")
            if own or other:
                lines.append(row(f"rewrite {batch}, {name}", ours(own), ours(other), "–", "–"))
    return lines


def sizes(results):
    sides = [1 << i for i in range(6, 14)]
    lines = head("side of a square, one picture", *map(str, sides))

    def line(name, kind, engines, device="cuda"):
        show = right if engines == ["kostka"] else time_of
        found = [results.best(engines, kind, "90 420", (side, side), 1, device) for side in sides]
        if any(found):
            lines.append(row(name, *[show(one) for one in found]))

    for verb in "decode", "encode":
        line(f"{verb}, CUDA", f"{verb} size", ["kostka"])
        line(f"{verb}, OpenCL", f"{verb} size", ["kostka"], "opencl")
        line(f"{verb}, Kostka on the CPU, one thread", f"{verb} size 1", ["kostka"], "cpu")
        line(f"{verb}, all threads", f"{verb} size all", ["kostka"], "cpu")
        line(f"{verb}, nvJPEG's best", f"{verb} size", NVJPEG)
        line(f"{verb}, libjpeg-turbo, one thread", f"{verb} size", TURBO)
    return lines


def pair(results, verb, coding, kind=None, batches=(1, 64)):
    """Kostka's and its peer's times of some numbers of pictures."""
    j2k_coding = coding.split()[0] in ("j2k", "ht")
    engines = ["nvJPEG2000"] if j2k_coding else NVJPEG
    own = [results.best(["kostka"], kind or f"{verb} batch", coding, LARGE, batch) for batch in batches]
    peer = [results.best(engines, kind or f"{verb} batch", coding, LARGE, batch) for batch in batches]
    psnr = [results.own_psnr(one, kind or f"{verb} batch", coding, LARGE, batch) for one, batch in zip(peer, batches)]
    cells = [right(one) + (f" ({decibels(db)})" if db else "") for one, db in zip(own, psnr)]
    return ", ".join(cells) + " ms", ", ".join(theirs(one) for one in peer) + " ms"


SUMMARY = [("decode JPEG 3840×2160 4:2:0 q90: one, 64 at once", "nvJPEG", "decode", "90 420", (1, 64)),
           ("encode the same: one, 64", "nvJPEG", "encode", "90 420", (1, 64)),
           ("decode JPEG 2000 of this size, lossless: one, 32", "nvJPEG2000", "decode", "j2k lossless", (1, 32)),
           ("decode JPEG 2000, 20:1: one, 32", "nvJPEG2000", "decode", "j2k 20:1", (1, 32)),
           ("encode JPEG 2000, lossless: one, 32", "nvJPEG2000", "encode", "j2k lossless", (1, 32)),
           ("encode JPEG 2000, 20:1: one, 32", "nvJPEG2000", "encode", "j2k 20:1", (1, 32)),
           ("decode HTJ2K, lossless: one, 32", "nvJPEG2000", "decode", "ht lossless", (1, 32)),
           ("encode HTJ2K, lossless: one, 32", "nvJPEG2000", "encode", "ht lossless", (1, 32))]


def summary(results):
    lines = ["| on an H200, from compressed bytes in pinned memory to pixels in the device's, or back | Kostka | peer |",
             "|---|---|---|"]
    for name, library, verb, coding, batches in SUMMARY:
        own, peer = pair(results, verb, coding, batches=batches)
        lines.append(row(name, own, f"{library} {peer}"))
    return lines


def about(results):
    one = results.best(["kostka"], "decode batch", "90 420") or results.best(["kostka"], "decode batch", "90 420",
                                                                               device="opencl")
    if one is None:
        return []
    return [f"{results.date}, one GPU ({results.driver}), `bench/gpu.sh` with {one['pictures']} photographs in "
            f"turn, cut to the size or continued by", "their mirror images, and coded anew."]


TABLES = {"about": about, "summary": summary, "jpeg": jpeg, "others": others, "jpeg2000": j2k, "sizes": sizes}


def fill(path, results):
    """Return a file's text with all places made anew, and how many these are."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    count = 0

    def place(match):
        nonlocal count
        lines = TABLES[match.group(1)](results)
        if not lines or lines[0].startswith("|") and not any(re.search(r"\d\.\d", line) for line in lines[2:]):
            return match.group(0)
        count += 1
        return f"<!-- gpu.sh: {match.group(1)} -->\n\n" + "\n".join(lines) + "\n\n<!-- end -->"

    made = re.sub(r"<!-- gpu\.sh: (\w+) -->\n.*?<!-- end -->", place, text, flags=re.S)
    return made, count


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    files = sys.argv[2:] or [os.path.join(top, name)
                             for name in ("README.md", "docs/performance.md", "docs/performance/gpus.md")]
    results = Results(sys.argv[1])
    made = [(path, *fill(path, results)) for path in files]  # all of them, before one is written
    for path, text, count in made:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"{count} tables in {path}")


if __name__ == "__main__":
    main()
