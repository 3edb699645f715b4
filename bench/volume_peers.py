#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares coders of volumes: volume_peers.py [--rounds N] [--root FOLDER] [--scale N] [--plot FILE.svg] [VOLUME…]

Volumes: ct (Debian's invesalius-examples, a skull, int16), mr (mricron-data, ch2, uint8), seismic (synthetic, 256³, float32)
and body (synthetic, like a CT, 256³, int16). FOLDER is where the packages were unpacked, by default /. Coders are Kostka,
whole volumes, with EBCOT, with HT, and by slices; and those of zfpy, hdf5plugin (SPERR, HTJ2K, bitshuffle), blosc2 and
openvds that are installed. `kostka` must be found (PYTHONPATH=build/python), and the command line by KOSTKA or in PATH.

For each coder it prints bits for each sample, the PSNR from the range of the samples, the largest error, and processor time of
encoding and decoding in nanoseconds for each sample, medians of all rounds, from memory to memory; Kostka's times with single
precision are those of whole processes. All have one thread. Results of integers are rounded to integers; with --scale samples
are N times as large, so that rounding does not count. A rate that a coder cannot aim at is searched for.
"""

import argparse
import functools
import importlib
import os
import pathlib
import plistlib
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import kostka
import numpy

RATES = (4, 2, 1, 0.5, 0.25)
SIDE = 256
TRIES = 10  # of a search for a rate
tool = os.environ.get("KOSTKA", "kostka")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


h5py, hdf5plugin, zfpy, blosc2, openvds = map(optional, ("h5py", "hdf5plugin", "zfpy", "blosc2", "openvds"))


def read_ct(root):
    """A skull of 108 slices, from a project of InVesalius: a tar file with samples and a list of properties."""
    path = root / "usr/share/doc/invesalius-examples/examples/Cranium.inv3"
    with tarfile.open(path) as archive:
        members = {pathlib.PurePath(name).name: archive.extractfile(name) for name in archive.getnames() if "." in name}
        shape = plistlib.load(members["main.plist"])["matrix"]["shape"]
        return numpy.frombuffer(members["matrix.dat"].read(), "int16").reshape(shape)


def read_mr(root):
    """The head ch2, a NIfTI-1 file whose header has the shape and where samples begin."""
    import gzip

    data = gzip.decompress((root / "usr/share/mricron/templates/ch2.nii.gz").read_bytes())
    shape = numpy.frombuffer(data, "<i2", 3, 42)[::-1]
    begin = int(numpy.frombuffer(data, "<f4", 1, 108)[0])
    return numpy.frombuffer(data, "uint8", numpy.prod(shape), begin).reshape(shape)


def make_seismic(_):
    """Folded layers with two faults, convolved with a Ricker wavelet of 25 Hz at 4 ms, and noise of the band at 20 dB."""
    random = numpy.random.default_rng(1)
    at = numpy.arange(-20, 21) * 25 * numpy.pi * 0.004
    wavelet = (1 - 2 * at**2) * numpy.exp(-(at**2))
    trace = numpy.convolve(random.normal(size=3 * SIDE) * (random.random(3 * SIDE) < 0.3), wavelet, "same")
    z, y, x = numpy.mgrid[0:SIDE, 0:SIDE, 0:SIDE].astype("float32")
    depth = SIDE + x + 20 * numpy.sin(z * 0.012 + y * 0.007) + 12 * numpy.cos(y * 0.017)
    depth += 9 * (z + y / 3 > SIDE / 2) - 14 * (z > SIDE / 5 + y / 2)
    signal = numpy.interp(depth, numpy.arange(3 * SIDE), trace)
    noise = random.normal(size=(SIDE, SIDE, SIDE + len(wavelet) - 1))
    band = sum(wavelet[k] * noise[:, :, k : k + SIDE] for k in range(len(wavelet)))
    return (signal + band * (signal.std() / band.std() / 10)).astype("float32")


def make_body(_):
    """Ellipsoids of tissue and bone, and noise."""
    z, y, x = (axis.astype("float32") * 2 / SIDE - 1 for axis in numpy.mgrid[0:SIDE, 0:SIDE, 0:SIDE])
    body, organ = x * x * 1.4 + y * y * 2 + z * z, (x - 0.2) ** 2 * 9 + y * y * 9 + z * z * 5
    tissue = numpy.where(organ < 1, 60 + 20 * z, numpy.where(body < 0.8, 30 + 10 * x, 900))
    noise = numpy.random.default_rng(2).normal(0, 9, z.shape)
    return numpy.where(body < 1, tissue + noise, -1000 + noise / 2).astype("int16")


VOLUMES = {"ct": read_ct, "mr": read_mr, "seismic": make_seismic, "body": make_body}


def spent(work):
    """The processor time of work in all threads and processes, and its result."""

    def now():
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + ended.ru_utime + ended.ru_stime

    begin = now()
    result = work()
    return now() - begin, result


class Coder:
    """takes(): whether it codes a volume, to a rate or without loss. encode(): the number of bytes, and what decode() takes."""

    def aim(self, volume, rate):
        """What encode() takes for a rate, found outside the clock."""
        return rate


class Kostka(Coder):
    """Whole volumes, or slices with levels along z of 0; integers."""

    def __init__(self, name, **options):
        self.name, self.options = name, options
        self.context = kostka.Context("cpu", threads=1)

    def takes(self, volume, rate):
        return volume.dtype.kind != "f"

    def encode(self, volume, rate):
        target = {"rate": rate} if rate else {}
        coded = self.context.encode_volume(volume, **target, **self.options)
        return len(coded), coded

    def decode(self, coded):
        return numpy.asarray(self.context.decode_volume(coded))


class KostkaFloats(Coder):
    """Single precision in a store that is one brick; the command line."""

    def __init__(self, name, *options):
        self.name, self.options = name, options

    def takes(self, volume, rate):
        return volume.dtype == "float32" and rate

    def encode(self, volume, rate):
        folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        path = pathlib.Path(folder.name)
        volume.tofile(path / "in.raw")
        shape = "x".join(map(str, volume.shape))
        self.run("encode", "--shape", shape, "--type", "f32", "--brick", shape, "--rate", str(rate), *self.options,
                 path / "in.raw", path / "out.zarr")
        coded = sum(file.stat().st_size for file in (path / "out.zarr/0/c").rglob("*") if file.is_file())
        return coded, (folder, volume.shape)

    def run(self, *arguments):
        subprocess.run([tool, "volume", arguments[0], "-t", "1", *arguments[1:]], check=True)

    def decode(self, coded):
        path = pathlib.Path(coded[0].name)
        self.run("decode", path / "out.zarr", path / "out.raw")
        return numpy.fromfile(path / "out.raw", "float32").reshape(coded[1])


class Hdf5(Coder):
    """A dataset in a file that is memory.

    slices: a chunk is a slice. floats: integers become single precision, and sides are named in reverse, without moving
    samples, because hdf5plugin's SPERR 7.1 takes a chunk's last side for the slowest.
    """

    def __init__(self, name, make, rated, slices=False, floats=False):
        self.name, self.make, self.rated, self.slices, self.floats = name, make, rated, slices, floats

    def takes(self, volume, rate):
        return self.rated == bool(rate) and not (self.slices and volume.dtype == "float32")

    def encode(self, volume, rate):
        file = h5py.File("volume.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0)  # no cache
        chunk = (1, *volume.shape[1:]) if self.slices else volume.shape
        data = volume.astype("float32").reshape(chunk := chunk[::-1]) if self.floats else volume
        dataset = file.create_dataset("volume", data=data, chunks=chunk, compression=self.make(rate))
        file.flush()
        return dataset.id.get_storage_size(), dataset

    def decode(self, dataset):
        dataset.id.refresh()
        return dataset[...]


class Zfp(Coder):
    def __init__(self, name, rated):
        self.name, self.rated = name, rated

    def takes(self, volume, rate):
        return self.rated == bool(rate)

    def encode(self, volume, rate):
        exact = volume.astype("float32" if rate or volume.dtype == "float32" else "int32")
        coded = zfpy.compress_numpy(exact, **({"rate": rate} if rate else {}))
        return len(coded), coded

    def decode(self, coded):
        return zfpy.decompress_numpy(coded)


class Blosc(Coder):
    name = "Blosc2, zstd 5, shuffle"

    def takes(self, volume, rate):
        return not rate

    def encode(self, volume, rate):
        blosc2.set_nthreads(1)
        coded = blosc2.asarray(volume, cparams={"codec": blosc2.Codec.ZSTD, "clevel": 5, "nthreads": 1})
        return coded.schunk.cbytes, coded

    def decode(self, coded):
        return coded[...]


class Vds(Coder):
    """Bricks of 64 with margins of 4, by a tolerance; a lossless one is a tolerance of none."""

    name = "OpenVDS"

    def takes(self, volume, rate):
        return volume.dtype == "float32" or volume.dtype.itemsize < 3

    def aim(self, volume, rate):
        low, high = 0.001, 1000.0
        for _ in range(TRIES if rate else 0):
            tolerance = (low * high) ** 0.5
            too_long = self.encode(volume, tolerance)[0] * 8 > rate * volume.size
            low, high = (tolerance, high) if too_long else (low, tolerance)
        return high if rate else None

    def encode(self, volume, tolerance):
        """Integers are written from 0 on, as there are none with signs."""
        first = 0 if volume.dtype.kind == "f" else int(volume.min())
        if first:
            volume = (volume.astype(int) - first).astype("uint16")
        method = openvds.CompressionMethod.Wavelet if tolerance else openvds.CompressionMethod.WaveletLossless
        return self.write(volume, method, tolerance or 1, first)

    def write(self, volume, method, tolerance, first):
        folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        path = os.path.join(folder.name, "volume.vds")
        kind = {"f": "Format_R32", "u1": "Format_U8", "u2": "Format_U16"}
        kind = kind.get(volume.dtype.kind) or kind[volume.dtype.str[1:]]
        layout = openvds.VolumeDataLayoutDescriptor(
            openvds.VolumeDataLayoutDescriptor.BrickSize.BrickSize_64, 4, 4, 4,
            openvds.VolumeDataLayoutDescriptor.LODLevels.LODLevels_None,
            openvds.VolumeDataLayoutDescriptor.Options.Options_None,
        )
        axes = [openvds.VolumeDataAxisDescriptor(side, name, "m", 0.0, side - 1.0)
                for side, name in zip(volume.shape[::-1], ("x", "y", "z"))]
        channel = openvds.VolumeDataChannelDescriptor(
            getattr(openvds.VolumeDataChannelDescriptor.Format, kind),
            openvds.VolumeDataChannelDescriptor.Components.Components_1, "v", "", float(volume.min()), float(volume.max()))
        file, nothing = openvds.VDSFileOpenOptions(path), openvds.MetadataContainer()
        vds = openvds.create(file, layout, axes, [channel], nothing, method, tolerance)
        access = openvds.getAccessManager(vds).createVolumeDataPageAccessor(
            openvds.DimensionsND.Dimensions_012, 0, 0, 64, openvds.IVolumeDataAccessManager.AccessMode.AccessMode_Create)
        for chunk in range(access.getChunkCount()):
            page = access.createPage(chunk)
            buffer = numpy.array(page.getWritableBuffer(), copy=False)
            low, high = page.getMinMax()
            part = volume[low[2] : high[2], low[1] : high[1], low[0] : high[0]]
            buffer[: part.shape[0], : part.shape[1], : part.shape[2]] = part
            page.release()
        access.commit()
        openvds.close(vds)
        return os.path.getsize(path), (folder, path, volume.shape, volume.dtype, first)

    def decode(self, coded):
        _, path, shape, kind, first = coded
        vds = openvds.open(openvds.VDSFileOpenOptions(path))
        request = openvds.getAccessManager(vds).requestVolumeSubset((0, 0, 0), shape[::-1])
        samples = numpy.array(request.data, dtype=kind).reshape(shape)
        openvds.close(vds)
        return samples.astype(int) + first if first else samples


def coders():
    yield Kostka("Kostka")
    yield Kostka("Kostka, HT", ht=True)
    yield Kostka("Kostka, slices", z_levels=0)
    yield KostkaFloats("Kostka")
    yield KostkaFloats("Kostka, HT", "--ht")
    if h5py and hdf5plugin:
        yield Hdf5("SPERR", lambda rate: hdf5plugin.Sperr(rate=rate), True, floats=True)
        yield Hdf5("HTJ2K of HDF5", lambda _: hdf5plugin.Htj2k(), False, slices=True)
        yield Hdf5("bitshuffle, LZ4", lambda _: hdf5plugin.Bitshuffle(), False)
    if zfpy:
        yield Zfp("ZFP, fixed rate", True)
        yield Zfp("ZFP, reversible", False)
    if blosc2:
        yield Blosc()
    if openvds:
        yield Vds()


def measure(coder, volume, rate, rounds):
    """Bits for each sample, PSNR, the largest error, and nanoseconds for each sample of encoding and decoding."""
    times, aim = [], coder.aim(volume, rate)
    for _ in range(rounds):
        encode, (length, coded) = spent(functools.partial(coder.encode, volume, aim))
        decode, decoded = spent(functools.partial(coder.decode, coded))
        times.append((encode, decode))
    if volume.dtype.kind != "f":
        decoded = numpy.rint(decoded)
    error = decoded.reshape(volume.shape).astype(float) - volume
    squared = (error**2).mean()
    psnr = 10 * numpy.log10(float(numpy.ptp(volume.astype(float))) ** 2 / squared) if squared > 0 else numpy.inf
    nanoseconds = [statistics.median(time) * 1e9 / volume.size for time in zip(*times)]
    return (length * 8 / volume.size, psnr, numpy.abs(error).max(), *nanoseconds)


def compare(name, volume, rounds, points):
    print(f"\n{name}: {'×'.join(map(str, volume.shape))}, {volume.dtype}\n")
    print("| aim | coder | bits | PSNR, dB | largest error | encode, ns | decode, ns |\n|---|---|---:|---:|---:|---:|---:|")
    for rate in (None, *RATES):
        for coder in coders():
            if not coder.takes(volume, rate):
                continue
            bits, psnr, most, encode, decode = measure(coder, volume, rate, rounds)
            shown = "" if psnr == numpy.inf else f"{psnr:.2f}"
            print(f"| {rate or 'lossless'} | {coder.name} | {bits:.3f} | {shown} | {most:.4g} | {encode:.1f} | {decode:.1f} |",
                  flush=True)
            if rate and psnr != numpy.inf:
                points.append((name, coder.name, bits, psnr))


def plot(points, path):
    """Let kostka-curves draw curves, whose points come one after the other."""
    order = list(dict.fromkeys(point[:2] for point in points))
    lines = ["\t".join(map(str, point)) for point in sorted(points, key=lambda point: (order.index(point[:2]), point[2]))]
    curves = os.environ.get("KOSTKA_CURVES") or shutil.which("kostka-curves")
    if not curves:
        sys.exit("kostka-curves draws the plot: name it in KOSTKA_CURVES (build/bench/kostka-curves)")
    subprocess.run([curves, "Volumes", path], input="\n".join(lines) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("volumes", nargs="*", metavar="VOLUME", help=" ".join(VOLUMES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("/"))
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    unknown = set(arguments.volumes) - set(VOLUMES)
    if unknown:
        parser.error(f"there is no volume {unknown.pop()!r}")
    missing = [n for n in ("h5py", "hdf5plugin", "zfpy", "blosc2", "openvds") if not globals()[n]]
    if missing:
        print("not installed, so left out:", ", ".join(missing), file=sys.stderr)
    points = []
    for name in arguments.volumes or VOLUMES:
        volume = VOLUMES[name](arguments.root)
        if arguments.scale > 1 and volume.dtype.kind != "f":
            larger = volume.astype("int32") * arguments.scale
            most = int(numpy.abs(larger).max())
            volume = larger.astype(numpy.min_scalar_type(most if larger.min() >= 0 else -most))
        compare(name, volume, arguments.rounds, points)
    if arguments.plot:
        plot(points, arguments.plot)


main()
