# SPDX-License-Identifier: BSD-2-Clause
"""The codec of Zarr: stores of the command line are read with zarr, and those that zarr writes with the command line."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

try:
    import numcodecs
    import numpy
    import zarr
    import zarr.registry

    import kostka.numcodecs
    import kostka.zarr

    zarr.registry.register_codec("kostka", kostka.zarr.Kostka)  # as the installed package does by its entry points
    numcodecs.register_codec(kostka.numcodecs.Kostka)
except ImportError as error:
    zarr, missing = None, str(error)

tool = os.environ.get("KOSTKA", "kostka")


@unittest.skipUnless(zarr, "zarr 3 or NumPy is not installed")
class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        z, y, x = numpy.mgrid[0:20, 0:40, 0:36]
        noise = numpy.random.default_rng(3).normal(0, 9, z.shape)
        self.volume = (900 * numpy.sin(x / 7) * numpy.cos((y + z) / 5) + noise).astype("int16")
        self.raw = self.folder / "volume.raw"
        self.volume.tofile(self.raw)

    def run_tool(self, *arguments):
        subprocess.run([tool, "volume", *map(str, arguments)], check=True, capture_output=True)

    def encode(self, name, *options):
        self.run_tool("encode", "--shape", "20x40x36", "--type", "s16", *options, self.raw, self.folder / name)
        return zarr.open(self.folder / name, mode="r")

    def same(self, array):
        self.assertTrue(numpy.array_equal(array, self.volume))

    def test_command_line_to_zarr(self):
        for name, options in (
            ("a.zarr", []),
            ("b.zarr", ["--brick", "16"]),
            ("s.zarr", ["--brick", "8", "--shards", "2", "--ht"]),
        ):
            with self.subTest(store=name):
                group = self.encode(name, *options)
                self.same(group["0"][...])
                self.assertTrue(numpy.array_equal(group["0"][3:9, 17, 5:30:3], self.volume[3:9, 17, 5:30:3]))
                scales = group.attrs["ome"]["multiscales"][0]
                self.assertEqual([axis["name"] for axis in scales["axes"]], ["z", "y", "x"])
                half = self.folder / "half.raw"
                self.run_tool("decode", "--reduce", "1", "--reduce-z", "1", self.folder / name, half)
                level = group[scales["datasets"][1]["path"]]
                self.assertEqual(level.shape, (10, 20, 18))
                self.assertTrue(numpy.array_equal(level[...].ravel(), numpy.fromfile(half, "int16")))

    def test_zarr_to_command_line(self):
        for name, more in (("plain", {}), ("shards", {"shards": (16, 32, 32)})):
            path = self.folder / f"{name}.zarr"
            array = zarr.create_array(
                path, shape=self.volume.shape, chunks=(16, 16, 16), dtype="int16",
                serializer=kostka.zarr.Kostka(ht=True), compressors=None, **more,
            )
            array[...] = self.volume
            self.same(zarr.open(path, mode="r")[...])
            self.run_tool("decode", path, self.folder / "out.raw")
            self.same(numpy.fromfile(self.folder / "out.raw", "int16").reshape(self.volume.shape))
            written = json.loads((path / "zarr.json").read_text())
            self.assertIn('"kostka"', json.dumps(written["codecs"]))

    def test_loss(self):
        array = zarr.create_array(
            self.folder / "lossy.zarr", shape=(20, 40, 36), chunks=(20, 40, 36), dtype="int16",
            serializer=kostka.zarr.Kostka(psnr=60), compressors=None,
        )
        array[...] = self.volume
        error = array[...].astype(float) - self.volume
        self.assertGreater(numpy.abs(error).max(), 0)
        self.assertLess(numpy.sqrt((error**2).mean()), 1.05 * 65535 / 10 ** (60 / 20))

    def test_version_2(self):
        path = self.folder / "v2.zarr"
        array = zarr.create_array(
            path, shape=self.volume.shape, chunks=(16, 16, 16), dtype="int16", zarr_format=2,
            compressors=kostka.numcodecs.Kostka(), chunk_key_encoding={"name": "v2", "separator": "/"},
        )
        array[...] = self.volume
        self.same(zarr.open(path, mode="r")[...])
        self.run_tool("decode", path, self.folder / "out.raw")
        self.same(numpy.fromfile(self.folder / "out.raw", "int16").reshape(self.volume.shape))

    def test_single_precision(self):
        """What zarr decodes is within the bound, and the same as the command line decodes."""
        samples = (self.volume / 321).astype("float32")
        samples.tofile(self.raw)
        path = self.folder / "f.zarr"
        self.run_tool("encode", "--shape", "20x40x36", "--type", "f32", "--error", "0.01", self.raw, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of zarr: the name of numcodecs' codec is in no specification
            group = zarr.open(path, mode="r")
            decoded, level = group["0"][...], group["1"][...]
        self.assertLessEqual(numpy.abs(decoded.astype(float) - samples).max(), 0.01)
        self.assertEqual((level.dtype, level.shape), (decoded.dtype, (10, 20, 18)))
        self.run_tool("decode", path, self.folder / "out.raw")
        self.assertTrue(numpy.array_equal(decoded.ravel(), numpy.fromfile(self.folder / "out.raw", "float32")))

    def test_profile_2d(self):
        try:
            import imagecodecs.numcodecs
        except ImportError:
            self.skipTest("imagecodecs is not installed")
        imagecodecs.numcodecs.register_codecs(verbose=False)
        for name, options in (("d.zarr", []), ("h.zarr", ["--ht"]), ("t.zarr", ["--brick", "1x16x24"])):
            with self.subTest(options=options):
                described = ("--shape", "20x40x36", "--type", "s16", "--layout", "2d")
                self.run_tool("encode", *described, *options, self.raw, self.folder / name)
                self.same(zarr.open(self.folder / name / "0", mode="r", zarr_format=2)[...])

    def test_refusals(self):
        for wrong in ({"profile": "4d"}, {"reduce": -1}, {"reduce": True}, {"reduce_z": 33}, {"quality": 3}):
            self.assertRaises(ValueError, kostka.zarr.Kostka, **wrong)
            self.assertRaises(ValueError, kostka.numcodecs.Kostka, **wrong)
        create = dict(shape=(8, 8, 8), chunks=(8, 8, 8), compressors=None, serializer=kostka.zarr.Kostka())
        self.assertRaises(ValueError, zarr.create_array, self.folder / "float.zarr", dtype="float64", **create)
        group = self.encode("b.zarr", "--brick", "16")
        path = self.folder / "b.zarr"
        writable = zarr.open(path, mode="r+")
        with self.assertRaises(ValueError):
            writable["1"][...] = 3
        self.same(group["0"][...])
        metadata = json.loads((path / "0/zarr.json").read_text())
        metadata["data_type"] = "int8"
        (path / "0/zarr.json").write_text(json.dumps(metadata))
        with self.assertRaises(ValueError):
            zarr.open(path, mode="r")["0"][...]
        codec = kostka.zarr.Kostka(psnr=60, ht=True)
        self.assertEqual(kostka.zarr.Kostka.from_dict(codec.to_dict()), codec)
        old = kostka.numcodecs.Kostka(reduce=1, ratio=3)
        self.assertEqual(numcodecs.get_codec(old.get_config()).get_config(), old.get_config())


if __name__ == "__main__":
    unittest.main()
