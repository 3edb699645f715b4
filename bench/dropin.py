#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs as they are installed, with their own libraries and with Kostka's in their place, in turns:

    dropin.py [--build FOLDER] [--rounds N] [--threads N] [--photographs FOLDER] [--packages FOLDER] [--only WORDS]

Each row is a program that decodes or encodes; those that are not installed are left out, and said so. Programs of a command
line are started anew each time, and all of their time counts; for loops in Python a process of either kind stays, and the time
of its loop counts. The table has the medians of processor time (user and system) and of the time by the clock, both
of the original and of Kostka, their ratios, which ratio must be reached and is aimed at, and whether the outputs are equal. With one thread the
first ratio counts, with several the second, for which the machine must be quiet: its load is printed below the table.
"""

import argparse
import hashlib
import importlib
import io
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PYTHON = "/usr/bin/python3"  # whose packages are linked with the system's libraries


# Loops in Python. Each takes files and returns a function that does one round and returns bytes to compare.


def opencv_decode(files):
    import cv2
    import numpy

    cv2.setNumThreads(1)
    data = [numpy.frombuffer(file.read_bytes(), numpy.uint8) for file in files]
    return lambda: [cv2.imdecode(one, cv2.IMREAD_COLOR).data for one in data]


def opencv_encode(files):
    import cv2

    cv2.setNumThreads(1)
    pictures = [cv2.imread(str(file)) for file in files]
    return lambda: [cv2.imencode(".jpg", picture)[1].data for picture in pictures]


def opencv_tiles(files):
    import cv2
    import numpy

    cv2.setNumThreads(1)
    whole = cv2.imread(str(files[0]))
    corners = [(y, x) for y in range(0, whole.shape[0] - 256, 256) for x in range(0, whole.shape[1] - 256, 256)]
    tiles = [cv2.imencode(".jpg", whole[y : y + 256, x : x + 256])[1].reshape(-1) for y, x in corners]
    return lambda: [cv2.imdecode(numpy.asarray(tile), cv2.IMREAD_COLOR).data for tile in tiles]


def pillow_decode(files):
    from PIL import Image

    data = [file.read_bytes() for file in files]

    def once():
        pictures = [Image.open(io.BytesIO(one)) for one in data]
        for picture in pictures:
            picture.load()
        return pictures

    return once


def pillow_save(files, name, **options):
    """Saving in the format of a name."""
    from PIL import Image

    pictures = [Image.open(file) for file in files]
    for picture in pictures:
        picture.load()

    def once():
        outputs = [io.BytesIO() for _ in pictures]
        for picture, output in zip(pictures, outputs):
            picture.save(output, name, **options)
        return [output.getbuffer() for output in outputs]

    return once


def pillow_encode(files, **options):
    return pillow_save(files, "JPEG", quality=85, **options)


def pillow_jpeg2000_encode(files, **options):
    return pillow_save(files, "JPEG2000", **options)


def pydicom_decode(files, syntax, colours):
    """Frames of a transfer syntax by the plugin that is measured."""
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.encaps import encapsulate
    from pydicom.pixels import get_decoder

    plugin = "kostka" if os.environ.get("DROPIN_REGISTER") else "pylibjpeg"
    decoder = get_decoder(f"1.2.840.10008.1.2.4.{syntax}")

    def dataset(data):
        import kostka

        described = kostka.info(data)
        ds = Dataset()
        ds.file_meta = FileMetaDataset()
        ds.file_meta.TransferSyntaxUID = decoder.UID
        ds.Rows, ds.Columns, ds.SamplesPerPixel, ds.NumberOfFrames = described.height, described.width, 3, 1
        ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = 8, 8, 7, 0
        ds.PhotometricInterpretation, ds.PlanarConfiguration = colours, 0
        ds.PixelData = encapsulate([data])
        ds["PixelData"].VR = "OB"
        return ds

    datasets = [dataset(file.read_bytes()) for file in files]
    return lambda: [decoder.as_array(ds, raw=True, decoding_plugin=plugin)[0] for ds in datasets]


LOOPS = {
    "opencv_decode": opencv_decode,
    "opencv_encode": opencv_encode,
    "opencv_tiles": opencv_tiles,
    "pillow_decode": pillow_decode,
    "pillow_encode": pillow_encode,
    "pillow_progressive": lambda files: pillow_encode(files, progressive=True),
    "pillow_optimize": lambda files: pillow_encode(files, optimize=True),
    "pillow_lossless": pillow_jpeg2000_encode,
    "pillow_rate": lambda files: pillow_jpeg2000_encode(files, irreversible=True, quality_layers=[20]),
    "pydicom_jpeg": lambda files: pydicom_decode(files, "50", "YBR_FULL_422"),
    "pydicom_jpeg2000": lambda files: pydicom_decode(files, "90", "YBR_RCT"),
}


def digest(results):
    total = hashlib.sha1()
    for result in results:
        total.update(result.tobytes() if hasattr(result, "tobytes") else result)
    return total.hexdigest()


def work(name, files):
    """Do a round for each line of the input, and print what it took and a digest of what it gave."""
    if os.environ.get("DROPIN_REGISTER"):
        importlib.import_module(os.environ["DROPIN_REGISTER"]).register()
    once = LOOPS[name]([pathlib.Path(file) for file in files])
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        results = once()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(cpu, wall, digest(results), flush=True)


# Rows: what is measured, with which library, how many threads, which ratio must be reached and is aimed at.


class Row:
    def __init__(self, name, threads, must, aim, loop=None, files=None, command=None, register=None, instead=None):
        self.name, self.threads, self.must, self.aim = name, threads, must, aim
        self.loop, self.files, self.command, self.register = loop, files, command, register
        self.instead = instead  # words in front of the command: a program in the place of the original, not a library

    def environment(self, ours, options):
        """That of the original, or of Kostka in its place."""
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        if self.register:
            environment["PYTHONPATH"] = f"{options.packages}:{options.build}/python:{os.environ.get('PYTHONPATH', '')}"
        if ours and self.register:
            environment["DROPIN_REGISTER"] = self.register
        elif ours and not self.instead:
            environment["LD_LIBRARY_PATH"] = f"{options.build}/compat"
        if ours:
            environment["KOSTKA_THREADS"] = str(self.threads)
        return environment


class Loop:
    """A process that stays."""

    def __init__(self, row, ours, options):
        python = sys.executable if row.register and not options.packages else PYTHON
        command = [python, __file__, "--work", row.loop, *map(str, row.files)]
        environment = row.environment(ours, options)
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def turn(self):
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        words = self.process.stdout.readline().split()
        return (float(words[0]), float(words[1]), words[2]) if words else None

    def end(self):
        self.process.terminate()
        self.process.communicate()


class Command:
    """A program that is started each time; its output is the file that OUT stands for."""

    def __init__(self, row, ours, options):
        self.environment = row.environment(ours, options)
        self.out = options.work / f"{'ours' if ours else 'theirs'}{row.command[1]}"
        self.command = [str(word).replace("OUT", str(self.out)) for word in [*(ours and row.instead or []), *row.command[0]]]

    def turn(self):
        self.out.unlink(missing_ok=True)
        begin = time.perf_counter()
        process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        if process.returncode != 0 or not self.out.exists():
            return None
        return usage.ru_utime + usage.ru_stime, wall, hashlib.sha1(self.out.read_bytes()).hexdigest()

    def end(self):
        pass


def write_pdf(path, jp2, width, height):
    """A page that a JPEG 2000 file fills."""
    data = jp2.read_bytes()
    content = b"q %d 0 0 %d 0 0 cm /P Do Q" % (width, height)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>" % (width, height),
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/Filter/JPXDecode/Length %d>>stream\n%s\nendstream"
        % (width, height, len(data), data),
    ]
    pdf, offsets = bytearray(b"%PDF-1.5\n"), []
    for number, text in enumerate(objects, 1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj%s\nendobj\n" % (number, text)
    start = len(pdf)
    pdf += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    pdf += b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start
    path.write_bytes(pdf)


def openjpeg_rows(options, threads, ppm, jp2):
    """OpenJPEG's programs with the library in its place, and Kostka's with their command lines. PNM they read and write by the
    byte, which takes a third of the time, and more once a process has a second thread, since stdio locks then; TIFF they do not.
    """
    musts = {"lossless": (2.2, 2.8), "20:1": (3, 5), "decode": (1.8, 2.6)} if threads > 1 else {}
    tif = options.work / "wood.tif"
    if not tif.exists():
        subprocess.run([options.kostka, "decode", jp2, tif], check=True, stdout=subprocess.DEVNULL)
    for kind, source, end in (("PPM", ppm, ".ppm"), ("TIFF", tif, ".tif")):
        coded = (["opj_decompress", "-i", jp2, "-o", "OUT"], end)
        lossless = (["opj_compress", "-i", source, "-o", "OUT"], ".jp2")
        rate = (["opj_compress", "-r", "20", "-I", "-i", source, "-o", "OUT"], ".jp2")
        for name, instead in (("", None), ("kostka in the place of ", [options.kostka])):
            both = {"instead": instead}
            yield Row(f"{name}opj_decompress, {kind}", threads, *musts.get("decode", (None, None)), command=coded, **both)
            yield Row(f"{name}opj_compress, {kind}, lossless", threads, *musts.get("lossless", (None, None)), command=lossless, **both)
            yield Row(f"{name}opj_compress, {kind}, 9/7 at 20:1", threads, *musts.get("20:1", (None, None)), command=rate, **both)


def rows(options):
    photographs = sorted(options.photographs.glob("nature/*.jpg"))[:12]
    wood = options.photographs / "nature" / "Wood.jpg"
    ppm, jp2, pdf = options.work / "wood.ppm", options.work / "wood.jp2", options.work / "wood.pdf"
    run = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([options.kostka, "decode", wood, ppm], **run)
    # Without OpenJPEG's encoder Kostka's makes the file that everybody decodes.
    encoder = ["opj_compress", "-i", ppm, "-o", jp2] if shutil.which("opj_compress") else [options.kostka, "encode", ppm, jp2, "--lossless"]
    subprocess.run(encoder, **run)
    jp2c = options.work / "wood.j2k"
    subprocess.run([options.kostka, "transcode", jp2, jp2c, "--container", "j2k"], **run)
    width, height = map(int, ppm.read_bytes()[:40].split(maxsplit=3)[1:3])
    write_pdf(pdf, jp2, width, height)
    several = options.threads
    caps = f"image/jp2,width={width},height={height},framerate=1/1"
    pipeline = f"filesrc location={jp2} blocksize={jp2.stat().st_size} ! {caps} ! openjpegdec ! filesink location=OUT"
    for threads, must, aim in ((1, 1.8, 2.2), (several, 2.2, 3)):
        yield Row("OpenCV, imdecode of twelve photographs", threads, must, aim, "opencv_decode", photographs)
    for threads, must, aim in ((1, 1.4, 1.7), (several, 1.6, 2.2)):
        yield Row("Pillow of the system, twelve photographs", threads, must, aim, "pillow_decode", photographs)
    yield Row("Pillow of this Python, kostka.pillow.register()", 1, 1.35, 1.6, "pillow_decode", photographs, register="kostka.pillow")
    own = {"register": "kostka.pillow"}
    yield Row("Pillow of this Python, JPEG 2000 by register()", 1, None, None, "pillow_decode", [jp2], **own)
    yield Row("the same, save JPEG 2000", 1, None, None, "pillow_lossless", [ppm], **own)
    yield Row("the same, irreversible=True, quality_layers=[20]", 1, None, None, "pillow_rate", [ppm], **own)
    yield Row("pydicom .50, against pylibjpeg", 1, 4, 6, "pydicom_jpeg", photographs[:3], register="kostka.pydicom")
    yield Row("pydicom .90, against pylibjpeg", 1, 1.4, 2.5, "pydicom_jpeg2000", [jp2c], register="kostka.pydicom")
    yield Row("OpenCV, imencode .jpg", 1, 1.3, 1.7, "opencv_encode", photographs[:6])
    yield Row("Pillow, save JPEG", 1, 1.3, 1.7, "pillow_encode", photographs[:6])
    yield Row("Pillow, save JPEG, optimize=True", 1, 1.3, 1.7, "pillow_optimize", photographs[:6])
    yield Row("Pillow, save JPEG, progressive=True", 1, 1.3, 1.7, "pillow_progressive", photographs[:6])
    yield Row("OpenCV, imdecode of tiles of 256²", 1, 3, 4, "opencv_tiles", [wood])
    for threads, musts in ((1, (None,) * 6), (several, (2.5, 3, 1.6, 2.2, 1.4, 2))):
        yield from openjpeg_rows(options, threads, ppm, jp2)
        yield Row("GStreamer, openjpegdec", threads, *musts[:2], command=(["gst-launch-1.0", "-q", *pipeline.split()], ".raw"))
        yield Row("pdftoppm", threads, *musts[2:4], command=(["sh", "-c", 'pdftoppm -r 72 "$1" >"$2"', "sh", pdf, "OUT"], ".ppm"))
        yield Row("gdal_translate", threads, *musts[4:], command=(["gdal_translate", "-q", jp2, "OUT"], ".tif"))
        yield Row("vips rawsave, JPEG 2000", threads, None, None, command=(["vips", "rawsave", jp2, "OUT"], ".raw"))
    yield Row("vips rawsave, JPEG", 1, None, None, command=(["vips", "rawsave", wood, "OUT"], ".raw"))
    yield Row("gdal_translate, JPEG", 1, None, None, command=(["gdal_translate", "-q", wood, "OUT"], ".tif"))
    yield Row("djpeg", 1, None, None, command=(["djpeg", "-outfile", "OUT", wood], ".ppm"))


def ratio_text(theirs, ours):
    return f"{theirs / ours:.2f} ×"


def measure(row, options):
    """Print the line of a row; the reason instead if a program is missing or fails."""
    begin = Command if row.command else Loop
    programs = [begin(row, ours, options) for ours in (False, True)]
    first = [program.turn() for program in programs]  # which opens everything
    if None in first:
        print(f"| {row.name} | {row.threads} | not measured: {'it is not installed or fails' if first[0] is None else 'FAILS with Kostka'} |", flush=True)
    else:
        turns = list(zip(*[[program.turn() for program in programs] for _ in range(options.rounds)]))
        cpu, wall = ([statistics.median(turn[i] for turn in side) for side in turns] for i in (0, 1))
        wanted = f"{row.must} / {row.aim}" if row.must else ""
        equal = "yes" if first[0][2] == first[1][2] else "no"
        print(
            f"| {row.name} | {row.threads} | {1e3 * cpu[0]:.1f} | {1e3 * cpu[1]:.1f} | {ratio_text(*cpu)} | "
            f"{1e3 * wall[0]:.1f} | {1e3 * wall[1]:.1f} | {ratio_text(*wall)} | {wanted} | {equal} |",
            flush=True,
        )
    for program in programs:
        program.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "build")
    parser.add_argument("--photographs", type=pathlib.Path, default=pathlib.Path("/usr/share/backgrounds/mate"))
    parser.add_argument("--packages", default="", help="a folder of packages with a newer Pillow, pydicom 3 and pylibjpeg")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2, help="of the rows with several")
    parser.add_argument("--only", default="", help="measure the rows whose name has one of these words, which commas separate")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], options.work[1:])
        return
    options.build = options.build.resolve()
    options.kostka = options.build / "kostka"
    print("| program | threads | CPU, ms | Kostka | ratio | clock, ms | Kostka | ratio | must / aim | equal |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        options.work = pathlib.Path(folder)
        for row in rows(options):
            if any(word in row.name.lower() for word in options.only.lower().split(",")):
                measure(row, options)
    print(f"\nmedians of {options.rounds}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; the outputs of encoders of JPEG 2000 differ")


if __name__ == "__main__":
    main()
