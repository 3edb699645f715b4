# SPDX-License-Identifier: BSD-2-Clause
"""The codec of Zarr: stores of the command line are read with zarr, and those that zarr writes with the command line."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock
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

try:
    import cupy

    cupy.cuda.runtime.getDeviceCount()
except Exception:  # what it raises without a driver is its own
    cupy = None

tool = os.environ.get("KOSTKA", "kostka")


class Away:
    """An array that lends its memory through DLPack alone: as with CuPy's, NumPy may not take it without being asked."""

    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    strides = property(lambda self: self.array.strides)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)

    def __array__(self, *arguments, **keywords):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def reshape(self, *shape, **keywords):
        return Away(self.array.reshape(*shape, **keywords))

    def astype(self, dtype, **keywords):
        return Away(self.array.astype(dtype, **keywords))

    def copy(self, **keywords):
        return Away(self.array.copy(**keywords))

    def fill(self, value):
        self.array.fill(value)

    def __getitem__(self, key):
        return Away(self.array[key])

    def __setitem__(self, key, value):
        self.array[key] = value.array if isinstance(value, Away) else value


def prototype():
    """Buffers of zarr's whose samples are arrays of this kind, and that no codec takes to NumPy or brings from there."""
    from zarr.core.buffer import BufferPrototype, core, cpu

    class Samples(core.NDBuffer):
        made = []

        @classmethod
        def create(cls, *, shape, dtype, order="C", fill_value=None):
            array = Away(numpy.empty(shape, dtype, order))
            cls.made.append(array)
            if fill_value is not None:
                array.fill(fill_value)
            return cls(array)

        @classmethod
        def empty(cls, shape, dtype, order="C"):
            return cls.create(shape=shape, dtype=dtype, order=order)

        @classmethod
        def from_numpy_array(cls, array_like):
            raise TypeError("samples came from NumPy")

        def as_numpy_array(self):
            raise TypeError("samples went to NumPy")

        def all_equal(self, other, equal_nan=True):
            return bool((self._data.array == other).all())

        def __getitem__(self, key):
            return type(self)(self._data[key])

        def __setitem__(self, key, value):
            self._data[key] = value._data if isinstance(value, core.NDBuffer) else value

    return BufferPrototype(buffer=cpu.Buffer, nd_buffer=Samples)


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

    def test_other_memory(self):
        """Chunks go straight into the memory of zarr's buffers, and come from it, on its way through no array of NumPy's."""
        self.encode("a.zarr", "--brick", "16")
        self.run_tool("encode", "--shape", "40x40x36", "--type", "u8", "--brick", "16", self.raw, self.folder / "b.zarr")
        for name, dtype in (("a.zarr", "int16"), ("b.zarr", "uint8")):
            wanted = zarr.open_array(self.folder / name / "0", mode="r")[...]
            kind = prototype()
            found = zarr.open_array(self.folder / name / "0", mode="r").get_basic_selection(..., prototype=kind)
            self.assertIsInstance(found, Away)
            self.assertEqual(found.dtype, dtype)
            self.assertTrue(numpy.array_equal(found.array, wanted))
            self.assertGreater(len(kind.nd_buffer.made), 8)  # the chunks, and what holds them all
        path = self.folder / "written.zarr"
        array = zarr.create_array(
            path, shape=self.volume.shape, chunks=(16, 16, 16), dtype="int16",
            serializer=kostka.zarr.Kostka(), compressors=None,
        )
        for samples in (self.volume, self.volume[::-1], numpy.asfortranarray(self.volume), self.volume.astype(">i2")):
            array.set_basic_selection(..., Away(samples), prototype=prototype())
            self.assertTrue(numpy.array_equal(zarr.open(path, mode="r")[...], samples))

    def test_many_at_once(self):
        """Chunks that zarr hands over together are decoded and encoded in one call; chunks that are missing are passed over."""
        calls = {"decode_volumes": [], "encode_volumes": []}

        def counted(name):
            function = getattr(kostka, name)
            return unittest.mock.patch.object(
                kostka, name, lambda chunks, **options: calls[name].append(len(chunks)) or function(chunks, **options)
            )

        self.volume[:, 16:32, 16:32] = 0  # two chunks that are not stored
        with zarr.config.set({"codec_pipeline.batch_size": 100}), counted("decode_volumes"), counted("encode_volumes"):
            array = zarr.create_array(
                self.folder / "many.zarr", shape=self.volume.shape, chunks=(16, 16, 16), dtype="int16",
                serializer=kostka.zarr.Kostka(), compressors=None, config={"write_empty_chunks": False},
            )
            array[...] = self.volume
            self.same(array[...])
        self.assertEqual(calls, {"decode_volumes": [16], "encode_volumes": [16]})
        self.same(zarr.open(self.folder / "many.zarr", mode="r")[...])

    @unittest.skipUnless(cupy, "CuPy or its device is not there")
    def test_gpu(self):
        """With zarr's GPU buffers arrays of CuPy's are read and written, and a GPU decodes and encodes them."""
        self.encode("a.zarr", "--brick", "16", "--shards", "2")
        with zarr.config.enable_gpu():
            array = zarr.open_array(self.folder / "a.zarr" / "0", mode="r")
            for key in (..., (slice(3, 9), 17, slice(5, 30, 3))):
                self.assertIsInstance(array[key], cupy.ndarray)
                self.assertTrue(numpy.array_equal(cupy.asnumpy(array[key]), self.volume[key]))
            written = zarr.create_array(
                self.folder / "w.zarr", shape=self.volume.shape, chunks=(16, 16, 16), dtype="int16",
                serializer=kostka.zarr.Kostka(), compressors=None,
            )
            written[...] = cupy.asarray(self.volume)
        self.same(zarr.open(self.folder / "w.zarr", mode="r")[...])

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
