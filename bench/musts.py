#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures everything for which a figure is required of one GPU, and prints which figures are reached.

    musts.py [--build build] [--device cuda:0] [--only TOPIC,...] [--photographs FOLDER] [--small] [--json OUT]

Topics are pipelines, htj2k, volumes, filters, sequences, two (two GPUs against one) and plugins. Each command is run once
and may fill several rows; below the table stand the commands. Photographs are made 3840x2160, 4:2:0, quality 90, in
memory (KOSTKA_WORK, else /dev/shm), where whole commands also write. With --small pictures are small and runs few, which
shows that the commands still work, on a CPU, too, and says nothing about speed. The exit status is 1 if a command fails,
finds a difference from the CPU's result, or does not print the figure that is looked for; a figure that is not reached
is no failure.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

Reader = Callable[[str], float]
BENCH = pathlib.Path(__file__).resolve().parent
TOPICS = ("pipelines", "htj2k", "volumes", "filters", "sequences", "two", "plugins")


@dataclasses.dataclass
class Row:
    """One figure of a command; `most` says that it must not be above the must, else it must not be below."""

    name: str
    read: Reader
    must: float
    unit: str
    most: bool = False


@dataclasses.dataclass
class Measurement:
    topic: str
    command: list[str]
    rows: list[Row]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)


# ── What commands print ──


def milliseconds(batch: int) -> Reader:
    return lambda text: _entry(_documents(text)[0], batch)["median_seconds"] * 1e3


def rate(*batches: int, calls: bool = False) -> Reader:
    """Pictures a second, by the best of some batches: in one call after another, or with several calls at a time, too."""

    def read(text: str) -> float:
        documents = _documents(text)
        return max(_entry(one, batch)["images_per_second"] for one in documents[: None if calls else 1] for batch in batches)

    return read


def _documents(text: str) -> list[dict[str, Any]]:
    """All that some `kostka bench --json` printed one after the other."""
    decoder, documents, text = json.JSONDecoder(), [], text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:].lstrip()
    return documents


def _entry(document: dict[str, Any], batch: int) -> dict[str, Any]:
    entry: dict[str, Any]
    for entry in document["files"]:
        if entry["batch"] == batch:
            if not entry["identical"]:
                raise ValueError("the result is not the CPU's")
            return entry
    raise ValueError(f"there is no batch of {batch}")


def found(pattern: str) -> Reader:
    """The first group of a pattern, a number."""

    def read(text: str) -> float:
        match = re.search(pattern, text, re.MULTILINE)
        if not match:
            raise ValueError(f"nothing is like {pattern!r}")
        return float(match.group(1).replace(",", ""))

    return read


def volume(name: str, encoded: bool = False) -> Reader:
    """Milliseconds of a row of kostka-volumes, which must also say that samples or bricks are equal."""
    cells = r" \d+ \|" if encoded else r" \d+ \| [\d.]+ \|"
    return found(rf"^\| {re.escape(name)} \|{cells} equal \| ([\d.]+)")


def elapsed(count: int) -> Reader:
    """Items a second of a whole command; its time is put before what it prints."""
    return lambda text: count / float(text.split("\n", 1)[0])


# ── The measurements ──


class Plan:
    """Lists the measurements, for the options and the photographs that were made."""

    def __init__(self, options: argparse.Namespace, work: pathlib.Path, photographs: list[str]):
        self.options, self.work, self.photographs = options, work, photographs
        self.kostka = str(options.build / "kostka")
        self.size = "256x256" if options.small else "3840x2160"
        self.runs = "3" if options.small else "21"

    def short(self, measurement: Measurement) -> str:
        """The command as it is printed, without the names of folders and all photographs."""
        environment = "".join(f"{name}={shlex.quote(value)} " for name, value in measurement.environment.items())
        text = (environment + shlex.join(measurement.command)).replace(shlex.join(self.photographs), "PHOTOGRAPHS")
        return text.replace(str(self.work), "WORK").replace(str(self.options.build), "build").replace(f"{BENCH}/", "bench/")

    def tool(self, name: str) -> str:
        return str(self.options.build / "bench" / name)

    def bench(self, verb: str, coding: str, batches: str, size: str = "") -> list[str]:
        """A command of `kostka bench` over all photographs in turns."""
        return [self.kostka, "bench", verb, "--mix", "--json", "--device", self.options.device, "--size", size or self.size,
                "--memory", "host" if self.options.device == "cpu" else "device", "--repeat", self.runs, "--most-time", "3000",
                *coding.split(), "--batch", batches, *self.photographs]  # fmt: skip

    def python(self, script: str, *arguments: str) -> list[str]:
        return [sys.executable, str(BENCH / script), *arguments]

    def htj2k(self) -> list[Measurement]:
        def of(verb: str, coding: str, name: str, one: float, second: float, many: tuple[int, int] = (32, 64)) -> Measurement:
            many = (2, 3) if self.options.small else many
            batches = ",".join(map(str, (1, *many)))
            rows = [Row(f"{name}, one", milliseconds(1), one, "ms", most=True)] if one else []
            rows += [Row(name, rate(*many), second, "a second"),
                     Row(f"{name}, of 1 to 4 calls at a time", rate(*many, calls=True), second, "a second")]  # fmt: skip
            call = self.bench(verb, coding, batches)
            more = [self.bench(verb, f"{coding} --calls {calls}", batches) for calls in (2, 4)]
            return Measurement("htj2k", ["sh", "-ec", "; ".join(map(shlex.join, (call, *more)))], rows)

        return [
            of("decode", "--recode --ht --lossless", "decode HTJ2K, lossless", 1.4, 2500),
            of("decode", "--recode --ht --ratio 15", "decode HTJ2K, 15:1", 0.7, 8000),
            of("encode", "--ht --lossless", "encode HTJ2K, lossless", 0.9, 3000),
            of("encode", "--ht --step 1.4", "encode HTJ2K, step 1.4", 0.5, 6500),
            of("encode", "--ht --ratio 20", "encode HTJ2K, exactly 20:1", 0, 3000),
            of("transcode", "--lossless", "JPEG 2000 to HTJ2K, lossless", 0, 800, (48, 96)),
        ]

    def pipelines(self) -> list[Measurement]:
        jpeg = "-q 90 --subsampling 420"
        few, most = ("2", "4") if self.options.small else ("512", "4096")
        made = [
            Measurement("pipelines", self.bench("decode", jpeg, f"1,{few}", size),
                        [Row(f"decode JPEG {size}, one", milliseconds(1), 0.10, "ms", most=True),
                         Row(f"decode JPEG {size}, {few} in a call", milliseconds(int(few)), must, "ms", most=True)])
            for size, must in (("256x256", 3.2), ("500x375", 3.4))
        ]  # fmt: skip
        made.append(Measurement("pipelines", self.bench("encode", jpeg, most, "256x256"),
                                [Row(f"encode JPEG 256x256, {most} in a call", milliseconds(int(most)), 6, "ms", most=True)]))  # fmt: skip
        return made + self.whole_commands() + self.python_loops()

    def whole_commands(self) -> list[Measurement]:
        """Commands over a folder of links to the photographs."""
        count = 12 if self.options.small else 1200
        inputs = self.work / "inputs"
        inputs.mkdir(exist_ok=True)
        for i in range(count):
            os.link(self.photographs[i % len(self.photographs)], inputs / f"{i:05d}.jpg")

        def of(name: str, must: float, verb: str, rest: str) -> Measurement:
            command = [self.kostka, verb, "--device", self.options.device, str(inputs), "--out-dir", "OUT", *rest.split()]
            return Measurement("pipelines", command, [Row(name, elapsed(count), must, "a second")])

        return [
            of("folder to JP2 20:1", 600, "convert", "--out-format jp2 --ratio 20"),
            of("folder to JPEG q80, half the size", 1500, "convert", f"--out-format jpeg -q 80 --resize {self.half()}"),
            of("folder to PPM", 250, "decode", "--out-format ppm"),
        ]

    def half(self) -> str:
        return "x".join(str(int(side) // 2) for side in self.size.split("x"))

    def python_loops(self) -> list[Measurement]:
        """Loops in Python, for which a package must be found."""
        device, path = ["--device", self.options.device], {"PYTHONPATH": self.python_path()}
        decoding = self.python("python_device.py", *self.photographs, *device, "--rounds", self.runs)
        count = "600" if self.options.small else "40000"
        loading = self.python("python_loader.py", *self.photographs, *device, "--count", count, "--only", "kostka")
        if self.options.device != "cpu":
            loading.append("--torch")
        return [
            Measurement("pipelines", decoding, [
                Row("Python, 1,024 mixed JPEGs", found(r"^mixed +kostka .*?([\d,]+) a second"), 110000, "a second"),
                Row("Python, one JPEG of 4K", found(r"^one +kostka +median +([\d.]+)"), 0.5, "ms", most=True),
                Row("Python, 64 JPEGs of 4K", found(r"^64 +kostka +median +([\d.]+)"), 11, "ms", most=True)], path),
            Measurement("pipelines", loading, [Row("loader", found(r"^kostka\S* +(\d+)"), 60000, "a second")], path),
        ]  # fmt: skip

    def python_path(self) -> str:
        return os.pathsep.join(filter(None, [str(self.options.build / "python"), os.environ.get("PYTHONPATH", "")]))

    def volumes(self) -> list[Measurement]:
        side, brick = ("64", "32") if self.options.small else ("512", "128")
        seismic, ct = "seismic, float32 of 20 bits, 9/7, 27:1", "CT, int16, 5/3, lossless"
        command = [self.tool("kostka-volumes"), "-d", self.options.device, "-k", self.runs, "-s", side, "-b", brick, "-e"]
        rows = [
            Row("decode float32 27:1, EBCOT", volume(f"{seismic}, EBCOT"), 4.9, "ms", most=True),
            Row("decode float32 27:1, HT", volume(f"{seismic}, HT"), 2.5, "ms", most=True),
            Row("decode int16 lossless, HT", volume(f"{ct}, HT"), 2.5, "ms", most=True),
            Row("one slice of it", volume(f"{ct}, HT: one slice"), 1.0, "ms", most=True),
            Row("encode float32 27:1, HT", volume(f"{seismic}, HT", encoded=True), 8, "ms", most=True),
        ]
        return [Measurement("volumes", command, rows)]

    def filters(self) -> list[Measurement]:
        musts = {"canny=50:150": 0.25, "cartoon": 1.2, "oil=4:8": 2.5, "painterly": 8, "lines": 1.5}
        alone = {"bilateral=30:3:4": 0.7, f"resize={self.half()}:exact:lanczos": 0.12}
        chains = [*musts, *alone]
        command = [self.tool("kostka-filters"), "-d", self.options.device, "-k", self.runs, self.photographs[0], *chains]
        rows = [Row(c, found(rf"^{re.escape(c)} +([\d.]+) ms"), must, "ms", most=True) for c, must in musts.items()]
        rows += [Row(f"{c}, the device alone", found(rf"^{re.escape(c)} .* ms +([\d.]+) ms of the device"), must, "ms", most=True)
                 for c, must in alone.items()]  # fmt: skip
        rows.append(Row("cartoon, JPEG file to JPEG file", found(r"^cartoon .* ([\d.]+) ms from file"), 2.0, "ms", most=True))
        return [Measurement("filters", command, rows)]

    def sequences(self) -> list[Measurement]:
        musts = {"MJPEG 1080p 4:2:0 to Y4M": 1000, "Y4M 1080p 4:2:0 to MJPEG": 1000, "Y4M 4K 4:2:0 to JPEG 2000 9/7, 10:1": 300,
                 "the same to HTJ2K": 500, "MJPEG 4K to JPEG 2000, lossless": 350,
                 "MJPEG 4K decoded and encoded, --latency: one by one (2 ms a frame: 500)": 500,
                 "8K 4:2:2 10 bits to JPEG 2000, 10:1": 60}  # fmt: skip
        seconds, groups = "20", "hd uhd deep"
        if self.options.small:
            seconds, groups, musts = "1", "hd", dict(list(musts.items())[:2])
        rows = [Row(name, found(rf"^\| {re.escape(name)} \| (\d+)"), must, "frames a second") for name, must in musts.items()]
        environment = {"KOSTKA": self.kostka, "KOSTKA_ROWS": groups, "KOSTKA_SECONDS": seconds}
        return [Measurement("sequences", ["bash", str(BENCH / "video.sh")], rows, environment)]

    def two(self) -> list[Measurement]:
        """Flows on one GPU and on two, of few items and of many; the ratio of what the further items take is the figure."""
        few, many = ("4", "12") if self.options.small else ("200", "9600")
        flow = shlex.join([self.tool("kostka-flow"), "-k", "1"])
        files = shlex.join(self.photographs)
        first = self.options.device
        second = first if first == "cpu" else "cuda:0,cuda:1"
        script = "; ".join(f"{flow} -d {d} jp2 {n} {files}" for d in (first, second) for n in (few, many))
        return [Measurement("two", ["sh", "-ec", script], [Row("JPEG to JP2 20:1, without start and end", two_to_one, 1.85, "x")])]

    def plugins(self) -> list[Measurement]:
        """NVIDIA's nvImageCodec with its own decoders and with the extension's."""
        extension = str(self.options.build / "plugins/nvimagecodec/libkostka_ext.so")
        made = []
        for name, files, batch, must in (("64 JPEGs of 4K", self.photographs, "64", 4), ("32 JPEG 2000 of 4K, lossless", self.jp2(), "32", 5)):
            command = self.python("nvimagecodec.py", extension, *files, "--gpu", "--batch", batch, "--rounds", self.runs)
            made.append(Measurement("plugins", command, [Row(f"nvImageCodec, {name}", by_extension, must, "x")]))
        return made

    def jp2(self) -> list[str]:
        """The photographs without loss as JPEG 2000."""
        folder = self.work / "jp2"
        convert = [self.kostka, "convert", *self.photographs[:4], "--lossless", "--out-format", "jp2", "--out-dir", str(folder)]
        subprocess.run(convert, check=True)
        return [str(path) for path in sorted(folder.iterdir())]


def two_to_one(text: str) -> float:
    """From four rows of kostka-flow: one GPU with few and many items, two GPUs with few and many."""
    times = [float(row.split("|")[5]) for row in text.splitlines() if row.startswith("| jp2")]
    return (times[1] - times[0]) / (times[3] - times[2])


def by_extension(text: str) -> float:
    times = [float(match) for match in re.findall(r"^\S.* median +([\d.]+) ms", text, re.MULTILINE)]
    return times[0] / times[1]


# ── Running them ──


def make_photographs(options: argparse.Namespace, work: pathlib.Path) -> list[str]:
    sources = sorted(str(path) for path in options.photographs.glob("*.jpg"))[: 3 if options.small else 12]
    if not sources:
        raise SystemExit(f"no photographs in {options.photographs}")
    size = "256x256" if options.small else "3840x2160"
    subprocess.run([options.build / "kostka", "convert", "--device", "cpu", *sources, "--out-dir", work / "photographs",
                    "--out-format", "jpeg", "--resize", size, "--fit", "cover", "-q", "90", "--subsampling", "420"], check=True)  # fmt: skip
    return [str(path) for path in sorted((work / "photographs").iterdir())]


def run(measurement: Measurement, work: pathlib.Path) -> str:
    """Run a command; the elapsed time is put before its output. Files of an earlier command are removed first."""
    shutil.rmtree(work / "OUT", ignore_errors=True)
    command = [str(work / "OUT") if word == "OUT" else word for word in measurement.command]
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **measurement.environment}, stdout=subprocess.PIPE, text=True, check=False)
    taken = time.perf_counter() - start
    if done.returncode != 0:
        raise ValueError(f"exit status {done.returncode}")
    return f"{taken}\n{done.stdout}" if "OUT" in measurement.command else done.stdout


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measure(plan: Plan, measurement: Measurement, number: int, results: list[dict[str, Any]]) -> bool:
    """Print the rows of one command. Returns whether each has its figure."""
    try:
        text = run(measurement, plan.work)
    except (ValueError, OSError) as error:
        text, problem = "", str(error)
    else:
        problem = ""
    fine = True
    for row in measurement.rows:
        value, why = math.nan, problem
        if not problem:
            try:
                value = row.read(text)
            except (ValueError, LookupError, ZeroDivisionError) as error:
                why = str(error)
        reached = value <= row.must if row.most else value >= row.must
        verdict = "–" if plan.options.small or math.isnan(value) else "yes" if reached else "**no**"
        fine = fine and not math.isnan(value)
        bound = "at most" if row.most else "at least"
        print(f"| {measurement.topic} | {row.name} | {why or shown(value)} | {bound} {shown(row.must)} {row.unit} | {verdict} | {number} |", flush=True)
        results.append({"topic": measurement.topic, "work": row.name, "value": None if math.isnan(value) else value,
                        "must": row.must, "unit": row.unit, "reached": bool(reached), "command": number})  # fmt: skip
    return fine


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=BENCH.parent / "build")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", default=",".join(TOPICS))
    parser.add_argument("--photographs", type=pathlib.Path, default="/usr/share/backgrounds/mate/nature")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.build = options.build.resolve()
    unknown = set(options.only.split(",")) - set(TOPICS)
    if unknown:
        parser.error(f"there is no topic {', '.join(sorted(unknown))}; they are {', '.join(TOPICS)}")
    return options


def main() -> int:
    options = parse()
    place = os.environ.get("KOSTKA_WORK", "/dev/shm")
    with tempfile.TemporaryDirectory(prefix="kostka-musts-", dir=place) as folder:
        work = pathlib.Path(folder)
        plan = Plan(options, work, make_photographs(options, work))
        results: list[dict[str, Any]] = []
        commands, fine = [], True
        print("| topic | work | figure | must | reached | command |\n|---|---|---:|---|---|---:|")
        for topic in options.only.split(","):
            for measurement in getattr(plan, topic)():
                commands.append(plan.short(measurement))
                fine = measure(plan, measurement, len(commands), results) and fine
        print()
        for number, command in enumerate(commands, 1):
            print(f"{number}. `{command}`")
        if options.json:
            options.json.write_text(json.dumps({"device": options.device, "rows": results}, indent=1) + "\n")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
