#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how time and memory of JPEG 2000 grow with the picture: j2k_growth.py KOSTKA PHOTO OUT.svg

Squares of a photograph, continued by its mirror images, are coded and decoded by processes of their own: processor time
of all threads, reading and writing of PPM included, and the peak of memory. KOSTKA_SIDES names the squares' sides,
KOSTKA_THREADS the number of threads. Prints a table.
"""
import math
import os
import subprocess
import sys
import tempfile

SIDES = [int(side) for side in os.environ.get("KOSTKA_SIDES", "1024,2048,4096,8192,14336").split(",")]
WORKS = [("encode lossless", "#c0392b"), ("decode lossless", "#e08e79"), ("encode 20:1", "#1f5fa8"), ("decode 20:1", "#7fb2e5")]


def read_ppm(path):
    with open(path, "rb") as file:
        magic, size, most = file.readline(), file.readline().split(), file.readline()
        assert magic == b"P6\n" and most == b"255\n"
        width, height = int(size[0]), int(size[1])
        return width, height, file.read()


def mirrored(row):
    return b"".join(row[i : i + 3] for i in range(len(row) - 3, -1, -3))


def write_square(path, side, photo):
    """By a process of its own: what this one takes would count as the peak of those it starts."""
    child = os.fork()
    if child == 0:
        write_rows(path, side, *read_ppm(photo))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def write_rows(path, side, width, height, pixels):
    rows = []
    for y in range(min(side, height)):
        row = pixels[3 * width * y : 3 * width * (y + 1)]
        both = row + mirrored(row) if side > width else row
        rows.append((both * (side // width + 1))[: 3 * side])
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (side, side))
        for y in range(side):
            y %= 2 * height
            file.write(rows[y if y < height else 2 * height - 1 - y])


def measure(*command):
    """Seconds of processor time and megabytes."""
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024e-6


def measure_all(kostka, photo, folder):
    """By work: megapixels, seconds, megabytes of each size."""
    path = {name: os.path.join(folder, name) for name in ("photo.ppm", "in.ppm", "coded.j2k", "out.ppm")}
    subprocess.run([kostka, "decode", photo, path["photo.ppm"]], check=True)
    results = {work: [] for work, _ in WORKS}
    for side in SIDES:
        write_square(path["in.ppm"], side, path["photo.ppm"])
        for kind, options in (("lossless", ["--lossless"]), ("20:1", ["--ratio", "20"])):
            encoded = measure(kostka, "encode", *options, path["in.ppm"], path["coded.j2k"])
            decoded = measure(kostka, "decode", path["coded.j2k"], path["out.ppm"])
            results["encode " + kind].append((side * side * 1e-6, *encoded))
            results["decode " + kind].append((side * side * 1e-6, *decoded))
            print(side, kind, encoded, decoded, file=sys.stderr, flush=True)
    return results


def print_table(results):
    print("| MPix | " + " | ".join(work for work, _ in WORKS) + " |")
    print("|---" * (1 + len(WORKS)) + "|")
    for i, (size, _, _) in enumerate(results[WORKS[0][0]]):
        cells = ["%.0f ns, %.0f MB" % (1e3 * results[w][i][1] / size, results[w][i][2]) for w, _ in WORKS]
        print("| %.0f | " % size + " | ".join(cells) + " |")


def draw_panel(svg, results, column, left, title, unit):
    """Both axes have powers of ten; a line of slope 1 is cost in proportion."""
    values = [row[column] for rows in results.values() for row in rows]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    width, top, bottom = 300, 60, 340

    def place(size, value):
        return left + width * math.log10(size) / 2.5, bottom - (bottom - top) * (math.log10(value) - low) / (high - low)

    svg.append(f"<text x='{left}' y='44' font-weight='bold'>{title}</text>")
    for power in range(low, high + 1):
        y = place(1, 10**power)[1]
        svg.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + width}' y2='{y:.1f}' stroke='#ddd'/>")
        svg.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end' fill='#555'>{10.0**power:g} {unit}</text>")
    for size in (1, 4, 16, 64, 200):
        x = place(size, 10**low)[0]
        svg.append(f"<line x1='{x:.1f}' y1='{top}' x2='{x:.1f}' y2='{bottom}' stroke='#eee'/>")
        svg.append(f"<text x='{x:.1f}' y='{bottom + 16}' text-anchor='middle' fill='#555'>{size}</text>")
    svg.append(f"<text x='{left + width / 2}' y='{bottom + 34}' text-anchor='middle' fill='#555'>MPix</text>")
    for work, colour in WORKS:
        points = [place(row[0], row[column]) for row in results[work]]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        svg.append(f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2'/>")
        svg.extend(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>" for x, y in points)


def draw(results, path):
    svg = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 800 420' font-family='sans-serif' font-size='12'>"]
    svg.append("<rect width='800' height='420' fill='#fff'/>")
    svg.append("<text x='60' y='22' font-size='15'>JPEG 2000 from 1 to 200 MPix, RGB, on the CPU</text>")
    draw_panel(svg, results, 1, 70, "processor time", "s")
    draw_panel(svg, results, 2, 470, "peak memory of the process", "MB")
    for i, (work, colour) in enumerate(WORKS):
        svg.append(f"<circle cx='{76 + 170 * i}' cy='400' r='4' fill='{colour}'/>")
        svg.append(f"<text x='{86 + 170 * i}' y='404'>{work}</text>")
    svg.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(svg) + "\n")


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        results = measure_all(sys.argv[1], sys.argv[2], folder)
    print_table(results)
    draw(results, sys.argv[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
