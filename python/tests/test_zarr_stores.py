# SPDX-License-Identifier: BSD-2-Clause
"""Stores that zarr writes, with the compressors of its own, are read by the command line; and files of NIfTI-1 of NumPy's."""

import gzip
import itertools
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

try:
    import numcodecs
    import numpy
    import zarr
    from zarr.codecs import BloscCodec, BytesCodec, GzipCodec, ZstdCodec
except ImportError:
    zarr = None

tool = os.environ.get("KOSTKA", "kostka")


def types():
    return ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32")


@unittest.skipUnless(zarr, "zarr 3 or NumPy is not installed")
class Compressed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "a.zarr"

    def volume(self, kind):
        z, y, x = numpy.mgrid[0:13, 0:21, 0:18]
        samples = 60 * numpy.sin(x / 7) * numpy.cos((y + z) / 5) + numpy.random.default_rng(3).normal(0, 9, z.shape)
        samples = samples if kind[0] in "if" else samples + 100
        return samples.astype(kind)

    def call(self, *arguments):
        return subprocess.run([tool, "volume", *map(str, arguments)], capture_output=True, text=True)

    def run_tool(self, *arguments):
        done = self.call(*arguments)
        if "was missing when this program was built" in done.stderr:
            self.skipTest(done.stderr.split(": ")[-1].strip())
        self.assertEqual(done.returncode, 0, done.stderr)

    def decoded(self, name, kind, *options):
        raw = self.folder / "out.raw"
        self.run_tool("decode", *options, name, raw)
        return numpy.fromfile(raw, kind)

    def same(self, kind, volume=None):
        volume = self.volume(kind) if volume is None else volume
        samples = self.decoded(self.store, kind)
        self.assertTrue(numpy.array_equal(samples, volume.ravel()), kind)
        part = self.decoded(self.store, kind, "--box", "3x5x7+8+15+10")
        self.assertTrue(numpy.array_equal(part, volume[8:11, 15:20, 10:17].ravel()), kind)

    def make(self, kind, version, **options):
        zarr.create_array(
            self.store, data=self.volume(kind), chunks=(6, 9, 18), zarr_format=version, overwrite=True, **options
        )
        self.same(kind)

    def test_defaults(self):
        for version, kind in itertools.product((2, 3), types()):
            with self.subTest(version=version, kind=kind):
                self.make(kind, version)
                self.assertIn("codec zstd", self.call("info", self.store).stdout)

    def test_version_3(self):
        codecs = [GzipCodec(level=1), ZstdCodec(level=3, checksum=True), None]
        codecs += [
            BloscCodec(cname=cname, clevel=clevel, shuffle=shuffle)
            for cname, clevel, shuffle in (
                ("zstd", 5, "bitshuffle"),
                ("lz4", 9, "shuffle"),
                ("blosclz", 3, "noshuffle"),
                ("zlib", 1, "shuffle"),
                ("lz4hc", 0, "shuffle"),
            )
        ]
        for codec, kind in itertools.product(codecs, ("uint8", "int16", "float32")):
            with self.subTest(codec=codec, kind=kind):
                self.make(kind, 3, compressors=codec, serializer=BytesCodec(endian="big" if kind == "int16" else "little"))

    def test_checksums(self):
        self.make("int16", 3, compressors=[ZstdCodec(), zarr.codecs.Crc32cCodec()])
        brick = self.store / "c/1/0/0"
        damaged = bytearray(brick.read_bytes())
        damaged[-1] ^= 1
        brick.write_bytes(damaged)
        failed = self.call("decode", self.store, self.folder / "none.raw")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr, "c/1/0/0: its CRC-32C is wrong")

    def test_shards(self):
        for codec in (GzipCodec(), ZstdCodec(), BloscCodec()):
            with self.subTest(codec=codec):
                self.make("uint16", 3, compressors=codec, shards=(12, 18, 36))

    def test_missing(self):
        """Chunks that were never written have the fill value, in shards and outside of them."""
        for shards in (None, (12, 18, 36)):
            with self.subTest(shards=shards):
                volume = self.volume("int16")
                array = zarr.create_array(
                    self.store, shape=volume.shape, dtype="int16", chunks=(6, 9, 18), shards=shards, fill_value=5, overwrite=True
                )
                wanted = numpy.full_like(volume, 5)
                for part in (slice(0, 6), slice(0, 9)), (slice(0, 6), slice(18, 21)), (slice(6, 12), slice(9, 18)):
                    array[part] = wanted[part] = volume[part]
                self.same("int16", wanted)

    def test_version_2(self):
        codecs = [numcodecs.GZip(1), numcodecs.Zlib(9), numcodecs.Zstd(), numcodecs.Blosc("lz4", 5), None]
        for codec, kind in itertools.product(codecs, ("uint8", "int16", "float32", ">i2", ">f4")):
            with self.subTest(codec=codec, kind=kind):
                zarr.create_array(
                    self.store,
                    shape=(13, 21, 18),
                    dtype=kind,
                    chunks=(6, 9, 18),
                    zarr_format=2,
                    compressors=codec,
                    overwrite=True,
                )[...] = self.volume(kind.lstrip(">"))
                self.same(kind.lstrip(">"))

    def test_encoded(self):
        """What such a store holds is encoded as other volumes are."""
        self.make("int32", 3)
        self.run_tool("encode", "--brick", 8, self.store, self.folder / "b.zarr")
        self.assertTrue(numpy.array_equal(self.decoded(self.folder / "b.zarr", "int32"), self.volume("int32").ravel()))
        zarr.open(self.store, mode="r+")[12, 20, 17] = 1 << 27
        failed = self.call("encode", self.store, self.folder / "c.zarr")
        self.assertIn("the sample at z 12, y 20, x 17 has more than 28 bits", failed.stderr)

    def test_refused(self):
        for kind in ("float64", "float16", "int64", "bool", "complex64"):
            for version in (2, 3):
                zarr.create_array(self.store, shape=(4, 4, 4), dtype=kind, zarr_format=version, overwrite=True)
                failed = self.call("info", self.store)
                self.assertEqual(failed.returncode, 1)
                self.assertRegex(failed.stderr, "data of type '.*astype")
        array = {"shape": (4, 4, 4), "dtype": "i2", "zarr_format": 2, "overwrite": True, "compressors": None}
        for name in ("Shuffle", "Delta"):
            codec = numcodecs.Shuffle(2) if name == "Shuffle" else numcodecs.Delta("i2")
            zarr.create_array(self.store, filters=[codec], **array)
            self.assertRegex(self.call("info", self.store).stderr, f"filter '{name.lower()}'.* not supported")

    def nifti(self, code, volume, order="<"):
        header = bytearray(352)
        struct.pack_into(order + "i", header, 0, 348)
        struct.pack_into(order + "8h", header, 40, 3, *volume.shape[::-1], 1, 1, 1, 1)
        struct.pack_into(order + "2h", header, 70, code, 8 * volume.itemsize)
        struct.pack_into(order + "8f", header, 76, *[1] * 8)
        struct.pack_into(order + "f", header, 108, 352)
        header[344:347] = b"n+1"
        return bytes(header) + volume.astype(volume.dtype.newbyteorder(order)).tobytes()

    def test_nifti(self):
        codes = {"uint8": 2, "int16": 4, "int32": 8, "float32": 16, "float64": 64, "int8": 256, "uint16": 512, "uint32": 768}
        for (kind, code), order, packed in itertools.product(codes.items(), "<>", (False, True)):
            with self.subTest(kind=kind, order=order, packed=packed):
                volume = self.volume(kind)
                name = self.folder / ("v.nii.gz" if packed else "v.nii")
                data = self.nifti(code, volume, order)
                name.write_bytes(gzip.compress(data) if packed else data)
                store = self.folder / f"{kind}{'<>'.index(order)}{packed}.zarr"
                self.run_tool("encode", *(["--error", "0.01"] if kind[0] == "f" else []), name, store)
                samples = self.decoded(store, "float32" if kind[0] == "f" else kind)
                if kind[0] == "f":
                    self.assertLessEqual(numpy.abs(samples.astype("f8") - volume.ravel()).max(), 0.01001)
                else:
                    self.assertTrue(numpy.array_equal(samples, volume.ravel()))

    def test_nifti_written(self):
        for kind, code in (("uint8", 2), ("int16", 4), ("int32", 8), ("uint32", 768)):
            volume = self.volume(kind)
            source, back = self.folder / "v.nii", self.folder / f"{kind}.nii.gz"
            source.write_bytes(self.nifti(code, volume))
            self.run_tool("encode", source, self.folder / "v.j2c")
            self.run_tool("decode", self.folder / "v.j2c", back)
            data = gzip.decompress(back.read_bytes())
            self.assertEqual(struct.unpack_from("<2h", data, 70), (code, 8 * volume.itemsize))
            self.assertEqual(data[352:], volume.tobytes())


if __name__ == "__main__":
    unittest.main()
