# SPDX-License-Identifier: BSD-2-Clause
"""Series of DICOM: volumes come back in order, in all syntaxes, with their place; what is no volume is refused by name."""

import os
import pathlib
import tempfile
import unittest
import unittest.mock

import kostka

try:
    import numpy
    import pydicom
    import pydicom.encaps
    import pydicom.uid

    import kostka.dicom
except ImportError:
    pydicom = None

DEPTH, HEIGHT, WIDTH = 7, 24, 33
PLAIN, BIG, JPEG = "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.4.50"
J2K, HT, PART_2, JPEG_LS = (f"1.2.840.10008.1.2.4.{n}" for n in (90, 201, 92, 80))


@unittest.skipUnless(pydicom, "pydicom or NumPy is not installed")
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def volume(self, kind="int16"):
        z, y, x = numpy.mgrid[0:DEPTH, 0:HEIGHT, 0:WIDTH]
        low = 0 if kind[0] == "i" else 100
        return (90 * numpy.sin(x / 7) * numpy.cos((y + 3 * z) / 5) + low).astype(kind)

    def coded(self, samples, syntax, bits):
        if syntax == JPEG:
            return kostka.encode(samples, quality=100)
        style = {"style": "ht"} if syntax == HT else {}
        return kostka.encode(samples, codec="jpeg2000", codestream=True, depth=bits, **style)

    def slice(self, samples, z, syntax=PLAIN, bits=None, **changes):
        """The headers and samples of a slice of an oblique series, 2.5 mm apart."""
        meta = pydicom.dataset.FileMetaDataset()
        meta.MediaStorageSOPClassUID = pydicom.uid.CTImageStorage
        meta.MediaStorageSOPInstanceUID = f"1.2.3.{z + 1}"
        meta.TransferSyntaxUID = syntax
        file = pydicom.dataset.FileDataset(
            "", {}, file_meta=meta, preamble=bytes(128), is_implicit_VR=False, is_little_endian=syntax != BIG
        )
        bits = bits or samples.itemsize * 8
        values = dict(
            SOPClassUID=meta.MediaStorageSOPClassUID, SOPInstanceUID=meta.MediaStorageSOPInstanceUID,
            SeriesInstanceUID="1.2.3", SamplesPerPixel=1, PhotometricInterpretation="MONOCHROME2", Rows=HEIGHT, Columns=WIDTH,
            BitsAllocated=samples.itemsize * 8, BitsStored=bits, HighBit=bits - 1,
            PixelRepresentation=int(samples.dtype.kind == "i"), PixelSpacing=[0.5, 0.75],
            ImageOrientationPatient=[1, 0, 0, 0, 0.8, 0.6], ImagePositionPatient=[-10, 20 - 1.5 * z, 30 + 2 * z],
            RescaleSlope=2, RescaleIntercept=-1024,
        )  # fmt: skip
        for name, value in {**values, **changes}.items():
            if value is not None:
                setattr(file, name, value)
        if syntax in (PLAIN, BIG):
            file.PixelData = samples.astype(samples.dtype.newbyteorder("<>"[syntax == BIG])).tobytes()
        else:
            file.PixelData = pydicom.encaps.encapsulate([self.coded(samples, syntax, bits)])
            file["PixelData"].is_undefined_length = True
        file["PixelData"].VR = "OB" if samples.itemsize == 1 else "OW"
        return file

    def write(self, volume, **options):
        """Write a series, whose names are in another order than the slices."""
        for z, samples in enumerate(volume):
            self.save(self.slice(samples, z, **options), z)

    def save(self, file, z):
        """Write a file. pydicom 2 writes only transfer syntaxes that it knows, though it reads others."""
        known = {HT: ("HTJ2K", "Transfer Syntax", "", "", ""), **pydicom._uid_dict.UID_dictionary}
        with unittest.mock.patch.dict(pydicom._uid_dict.UID_dictionary, known):
            file.save_as(self.folder / f"{(z * 5) % DEPTH}.dcm", write_like_original=False)

    def refused(self, why, **options):
        with self.assertRaisesRegex(kostka.dicom.SeriesError, why):
            kostka.dicom.read_series(self.folder, **options)

    def test_syntaxes(self):
        for syntax in (PLAIN, BIG, J2K, HT):
            for kind, bits in (("int16", 16), ("int16", 12), ("uint16", 11), ("uint8", 8)):
                with self.subTest(syntax=syntax, kind=kind, bits=bits):
                    volume = self.volume(kind)
                    self.write(volume, syntax=syntax, bits=bits)
                    series = kostka.dicom.read_series(self.folder)
                    self.assertEqual((series.volume.dtype, series.bits), (volume.dtype, bits))
                    self.assertTrue(numpy.array_equal(series.volume, volume))

    def test_files_of_pydicom(self):
        """The same MR in five syntaxes."""
        folder = pathlib.Path(pydicom.__file__).parent / "data/test_files"
        plain = pydicom.dcmread(folder / "MR_small.dcm").pixel_array
        for name in ("", "_implicit", "_bigendian", "_RLE", "_jp2klossless"):
            with self.subTest(name=name):
                series = kostka.dicom.read_series([folder / f"MR_small{name}.dcm"])
                self.assertTrue(numpy.array_equal(series.volume[0], plain))

    def test_jpeg(self):
        volume = self.volume("uint8")
        self.write(volume, syntax=JPEG)
        series = kostka.dicom.read_series(self.folder)
        self.assertLess(numpy.abs(series.volume.astype(int) - volume).max(), 4)

    def test_signs(self):
        """Codestreams without signs hold samples with signs in their low bits, as some writers do, and words may, too."""
        volume = self.volume()
        low = (volume & 0xFFF).astype("uint16")
        for samples, syntax in ((low, J2K), (low, PLAIN), (low | 0x5000, PLAIN)):
            self.write(samples, syntax=syntax, bits=12, PixelRepresentation=1)
            self.assertTrue(numpy.array_equal(kostka.dicom.read_series(self.folder).volume, volume))
        self.write(low | 0x5000, bits=12)
        self.assertTrue(numpy.array_equal(kostka.dicom.read_series(self.folder).volume, low))

    def test_fragments(self):
        """A frame in several fragments, with an offset table and without one."""
        volume = self.volume()
        for table in (False, True):
            for z, samples in enumerate(volume):
                file = self.slice(samples, z, syntax=J2K)
                frame = bytes(self.coded(samples, J2K, 16))
                file.PixelData = pydicom.encaps.encapsulate([frame], fragments_per_frame=3, has_bot=table)
                self.save(file, z)
            self.assertTrue(numpy.array_equal(kostka.dicom.read_series(self.folder).volume, volume))

    def test_place_and_values(self):
        self.write(self.volume())
        series = kostka.dicom.read_series(self.folder)
        for index, place in (
            ((0, 0, 0), (-10, 20, 30)), ((2, 0, 0), (-10, 17, 34)), ((0, 0, 4), (-7, 20, 30)), ((0, 10, 0), (-10, 24, 33)),
        ):  # fmt: skip
            self.assertTrue(numpy.allclose((series.affine @ (*index, 1))[:3], place), index)
        self.assertTrue(numpy.allclose(series.spacing, (2.5, 0.5, 0.75)))
        self.assertTrue(numpy.array_equal(series.rescale, [(2, -1024)] * DEPTH))
        self.assertEqual((series.uid, series.photometric), ("1.2.3", "MONOCHROME2"))
        self.assertEqual([path.name for path in series.files], [f"{(z * 5) % DEPTH}.dcm" for z in range(DEPTH)])
        data = kostka.encode_volume(series.volume, bits=series.bits)
        self.assertTrue(numpy.array_equal(kostka.decode_volume(data), series.volume))
        again = kostka.dicom.read_series(reversed(series.files))
        self.assertTrue(numpy.array_equal(again.volume, series.volume))
        self.assertEqual(kostka.dicom.read_series(series.files[:1]).volume.shape, (1, HEIGHT, WIDTH))

    def test_folders(self):
        """Other files are left out of a folder; several series need a name."""
        self.write(self.volume())
        (self.folder / "notes.txt").write_text("no DICOM")
        other = self.folder / "other"
        other.mkdir()
        self.slice(self.volume()[0], 0, SeriesInstanceUID="1.9").save_as(other / "x", write_like_original=False)
        self.refused("2 series; name one as uid: 1.2.3, 1.9")
        self.assertEqual(len(kostka.dicom.read_series(self.folder, uid="1.2.3").files), DEPTH)
        self.refused("no series 1.7", uid="1.7")
        self.assertRaises(NotADirectoryError, kostka.dicom.read_series, self.folder / "notes.txt")
        self.assertRaises(pydicom.errors.InvalidDicomError, kostka.dicom.read_series, [self.folder / "notes.txt"])
        empty = self.folder / "empty"
        empty.mkdir()
        with self.assertRaisesRegex(kostka.dicom.SeriesError, "no file of DICOM"):
            kostka.dicom.read_series(empty)

    def test_refusals(self):
        """What one slice that differs is refused for."""
        samples = self.volume()[3]
        position = [-10, 20 - 1.5 * 3, 30 + 2 * 3]
        for why, changes in (
            ("Rows is 24 .* 23", {"Rows": 23}),
            ("BitsStored is 16 .* 12", {"BitsStored": 12, "HighBit": 11}),
            ("ImageOrientationPatient differs", {"ImageOrientationPatient": [1, 0, 0, 0, 1, 0]}),
            ("PixelSpacing differs", {"PixelSpacing": [0.5, 0.5]}),
            ("Rows is .*, not a number", {"Rows": [24, 24]}),
            ("SeriesInstanceUID is .*, not one word", {"SeriesInstanceUID": ["1.2.3", "1.2.4"]}),
            ("RescaleSlope is 1e", {"RescaleSlope": "1e300"}),
            ("they are absurd", {"ImagePositionPatient": ["1e308", "-1e308", "1e308"]}),
            ("has 4 frames", {"NumberOfFrames": 4}),
            ("has 3 samples for each pixel", {"SamplesPerPixel": 3}),
            ("has no ImagePositionPatient", {"ImagePositionPatient": None}),
            ("ImagePositionPatient is not 3", {"ImagePositionPatient": [1, 2]}),
            ("same place along the normal", {"ImagePositionPatient": [-10, 18.5, 32]}),
            ("apart, others 2.5 mm: distances differ", {"ImagePositionPatient": [-10, 20 - 4.8, 30 + 6.4]}),
            ("away from its place", {"ImagePositionPatient": [position[0] + 1, *position[1:]]}),
            ("1.2.840.10008.1.2.4.92, which is not read", {"syntax": PART_2}),
            ("1.2.840.10008.1.2.4.80, which is not read", {"syntax": JPEG_LS}),
        ):  # fmt: skip
            with self.subTest(why=why):
                self.write(self.volume())
                self.save(self.slice(samples, 3, **changes), 3)
                self.refused(why)
        self.write(self.volume())
        os.remove(self.folder / f"{(3 * 5) % DEPTH}.dcm")
        self.refused("5 mm apart, others 2.5 mm: 1 slice missing")
        self.write(self.volume())
        path = self.folder / f"{(3 * 5) % DEPTH}.dcm"
        path.write_bytes(path.read_bytes().replace(b"0.5\\0.75", b"0.5\\zero"))
        self.refused("1.dcm: PixelSpacing (cannot be read|has no numbers)")
        self.write(self.volume(), PhotometricInterpretation="PALETTE COLOR")
        self.refused("PALETTE COLOR, not a grey slice")
        self.write(self.volume())
        self.refused("take more than max_memory", max_memory=1000)

    def test_damage(self):
        """Headers and codestreams that are cut off, or of another size, end in an error with the path."""
        volume = self.volume()
        self.write(volume)
        path = self.folder / f"{(3 * 5) % DEPTH}.dcm"
        whole = path.read_bytes()
        for length in (len(whole) - 100, 500, 300, 140, 10):
            path.write_bytes(whole[:length])
            with self.assertRaises((kostka.dicom.SeriesError, pydicom.errors.InvalidDicomError)) as caught:
                kostka.dicom.read_series(sorted(self.folder.iterdir()))
            if length > 200:
                self.assertIn(str(path), str(caught.exception))
        self.refused("1 slice missing")  # in a folder such a file is none of the series
        for syntax in (J2K, HT):
            file = self.slice(volume[3], 3, syntax=syntax)
            other = kostka.encode(volume[3, :20], codec="jpeg2000", codestream=True)
            three = kostka.encode(numpy.stack([volume[3]] * 3, -1).astype("uint16"), codec="jpeg2000", codestream=True)
            broken = b"\xff\x4f\xff\x51" + bytes(30)
            for frame, why in ((broken, ""), (other, "20×33 samples, not 24×33"), (three, "of 3 components")):
                file.PixelData = pydicom.encaps.encapsulate([frame])
                self.save(file, 3)
                with self.assertRaises((kostka.KostkaError, kostka.dicom.SeriesError)) as caught:
                    kostka.dicom.read_series(self.folder)
                said = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", ()))
                self.assertIn(str(path), said)
                self.assertIn(why, said)


if __name__ == "__main__":
    unittest.main()
