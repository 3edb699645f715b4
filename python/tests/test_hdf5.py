# SPDX-License-Identifier: BSD-2-Clause
"""Volumes in HDF5 files: chunks of filter 32033 are written and read without a plugin, and the plugin reads them."""

import os
import tempfile
import unittest

import kostka

try:
    import h5py
    import numpy

    import kostka.hdf5
except ImportError:
    h5py = None
try:
    import hdf5plugin

    plugin = hasattr(hdf5plugin, "Htj2k")
except ImportError:
    plugin = False

TYPES = ("int8", "uint8", "int16", "uint16")


@unittest.skipUnless(h5py, "h5py or NumPy is not installed")
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = h5py.File(os.path.join(folder.name, "volume.h5"), "w")
        self.addCleanup(self.file.close)

    def volume(self, kind="int16"):
        z, y, x = numpy.mgrid[0:6, 0:40, 0:37]
        noise = numpy.random.default_rng(3).normal(0, 3, z.shape)
        low = 0 if kind[0] == "i" else 100
        return (90 * numpy.sin(x / 7) * numpy.cos((y + z) / 5) + noise + low).astype(kind)

    def same(self, found, wanted):
        self.assertEqual(found.dtype, wanted.dtype.newbyteorder("="))
        self.assertTrue(numpy.array_equal(found, wanted))

    def test_types_tiles_and_regions(self):
        for kind in TYPES:
            for tile in (None, (16, 20), (64, 5)):
                with self.subTest(kind=kind, tile=tile):
                    volume = self.volume(kind)
                    dataset = kostka.hdf5.write_volume(self.file, f"{kind}/{tile}", volume, tile=tile)
                    sides = tile or (40, 37)
                    self.assertEqual(dataset.chunks, (1, min(sides[0], 40), min(sides[1], 37)))
                    self.same(kostka.hdf5.read_volume(dataset), volume)
                    part = kostka.hdf5.read_volume(dataset, region=((1, 5, 7), (3, 20, 22)))
                    self.same(part, volume[1:4, 5:25, 7:29])

    def test_parameters(self):
        """The filter's parameters are those that its plugin stores, and chunks are bare codestreams with CAP."""
        for kind, described in zip(TYPES, (0x81, 1, 0x82, 2)):
            dataset = kostka.hdf5.write_volume(self.file, kind, self.volume(kind))
            number, _, values, _ = dataset.id.get_create_plist().get_filter(0)
            self.assertEqual((number, values), (32033, (1, described, 37, 40, 1)))
            mask, coded = dataset.id.read_direct_chunk((0, 0, 0))
            self.assertEqual((mask, coded[:4], coded[-2:]), (0, b"\xff\x4f\xff\x51", b"\xff\xd9"))
            self.assertIn(b"\xff\x50", coded[:60])

    def test_other_arrays(self):
        """Slices are asked for one by one, in any order of bytes."""
        volume = self.volume()
        raw = self.file.create_dataset("raw", data=volume.astype(">i2"))
        self.same(kostka.hdf5.read_volume(kostka.hdf5.write_volume(self.file, "own", raw)), volume)

    def test_loss(self):
        volume = self.volume()
        dataset = kostka.hdf5.write_volume(self.file, "lossy", volume, psnr=70)
        error = kostka.hdf5.read_volume(dataset).astype(float) - volume
        self.assertGreater(numpy.abs(error).max(), 0)
        self.assertLess(numpy.sqrt((error**2).mean()), 1.1 * 65535 / 10 ** (70 / 20))
        if plugin:
            self.assertLessEqual(numpy.abs(dataset[...].astype(int) - kostka.hdf5.read_volume(dataset)).max(), 1)

    def test_missing_chunks(self):
        dataset = self.file.create_dataset(
            "holes", (3, 8, 9), "int16", chunks=(1, 8, 9), fillvalue=-7, compression=32033, allow_unknown_filter=True
        )
        self.same(kostka.hdf5.read_volume(dataset), numpy.full((3, 8, 9), -7, "int16"))
        plain = numpy.arange(72, dtype="int16").reshape(8, 9)
        dataset.id.write_direct_chunk((1, 0, 0), plain.tobytes(), filter_mask=1)
        self.same(kostka.hdf5.read_volume(dataset)[1], plain)

    @unittest.skipUnless(h5py and plugin, "hdf5plugin 7.1 is not installed")
    def test_plugin(self):
        for kind in TYPES:
            for tile in (None, (16, 20)):
                volume = self.volume(kind)
                dataset = kostka.hdf5.write_volume(self.file, f"{kind}/{tile}", volume, tile=tile)
                self.same(dataset[...], volume)
            other = self.file.create_dataset(kind + "/own", data=volume, chunks=(1, 40, 37), compression=hdf5plugin.Htj2k())
            self.same(kostka.hdf5.read_volume(other), volume)

    def test_refusals(self):
        write, read = kostka.hdf5.write_volume, kostka.hdf5.read_volume
        volume = self.volume()
        for wrong in (volume.astype("float32"), volume.astype("int32"), volume[0], volume[:0]):
            self.assertRaises(ValueError, write, self.file, "wrong", wrong)
        for tile in ((0, 5), (5,), (5, 2.5)):
            self.assertRaises(ValueError, write, self.file, "wrong", volume, tile=tile)
        self.assertRaises(TypeError, write, self.file, "wrong", volume, quality=9)
        self.assertRaises(ValueError, write, self.file, "wrong", volume, ratio=2, psnr=40)
        self.assertNotIn("wrong", self.file)
        dataset = write(self.file, "right", volume)
        self.assertRaises(ValueError, write, self.file, "right", volume)
        self.same(read(dataset), volume)
        self.assertRaisesRegex(ValueError, "read a region", read, dataset, max_memory=volume.nbytes - 1)
        claims = self.file.create_dataset(
            "claims", (1 << 40, 1 << 20, 1 << 20), "int16", chunks=(1, 8, 9), compression=32033, allow_unknown_filter=True
        )
        self.assertRaisesRegex(ValueError, "max_memory", read, claims)
        self.assertEqual(read(claims, region=((1 << 39, 0, 5), (1, 2, 2))).tolist(), [[[0, 0], [0, 0]]])
        for region in (((0, 0, 0), (7, 1, 1)), ((-1, 0, 0), (1, 1, 1)), ((0, 0, 0), (0, 1, 1)), ((0, 0), (1, 1))):
            self.assertRaises(ValueError, read, dataset, region=region)
        for name, more in (("none", {}), ("gzip", {"compression": "gzip"})):
            self.assertRaises(ValueError, read, self.file.create_dataset(name, data=volume, chunks=(1, 40, 37), **more))

    def test_damage(self):
        dataset = kostka.hdf5.write_volume(self.file, "damaged", self.volume())
        coded = dataset.id.read_direct_chunk((0, 0, 0))[1]
        other = kostka.encode(self.volume()[0, :9], codec="jpeg2000", codestream=True, style="ht")
        wide = kostka.encode(self.volume()[0].astype("int32"), codec="jpeg2000", depth=20, codestream=True, style="ht")
        huge = bytes(coded[:8]) + (1 << 30).to_bytes(4, "big") * 2 + bytes(coded[16:])  # Xsiz and Ysiz
        for wrong in (coded[:30], b"\x00" * 50, other, wide, huge, bytes(coded) + bytes(1 << 17)):
            dataset.id.write_direct_chunk((2, 0, 0), wrong)
            with self.assertRaises((ValueError, kostka.KostkaError)) as caught:
                kostka.hdf5.read_volume(dataset)
            described = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", ()))
            self.assertIn("the chunk at z 2, y 0, x 0 of /damaged", described)
        self.same(kostka.hdf5.read_volume(dataset, region=((0, 0, 0), (2, 40, 37))), self.volume()[:2])


if __name__ == "__main__":
    unittest.main()
