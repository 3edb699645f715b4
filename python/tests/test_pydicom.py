# SPDX-License-Identifier: BSD-2-Clause
"""pydicom decodes frames with Kostka to the samples of its other plugins, and encodes them."""

import copy
import io
import os
import pathlib
import struct
import sys
import unittest
import warnings

sys.path[:0] = [path for path in [os.environ.get("PYDICOM_PACKAGES")] if path]  # before what the system has

import kostka

try:
    import numpy as np
    import pydicom
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.encaps import encapsulate

    import kostka.pydicom

    MAJOR = int(pydicom.__version__.split(".")[0])
except ImportError:
    MAJOR = 0

SYNTAX = "1.2.840.10008.1.2.4."
OURS = [SYNTAX + end for end in ("50", "51", "57", "70", "90", "91", "201", "202", "203")]
ROWS, COLUMNS = 45, 61


def _pixels(samples=1, bits=8, signed=False):
    y, x, c = np.mgrid[0:ROWS, 0:COLUMNS, 0:samples]
    values = (x * 37 + y * 91 + c * 50) % (1 << bits) - ((1 << (bits - 1)) if signed else 0)
    values = values.astype(f"{'i' if signed else 'u'}{1 if bits <= 8 else 2}")
    return values[:, :, 0].copy() if samples == 1 else values


def _lossless(pixels, bits):
    """Encode samples by JPEG's lossless process (T.81 H), each predicted from its left neighbour, or from above."""
    samples = (pixels if pixels.ndim == 3 else pixels[:, :, None]).astype(int) & ((1 << bits) - 1)
    height, width, count = samples.shape
    before = np.concatenate([samples[:, :1] * 0, samples[:, :-1]], axis=1)
    before[1:, 0] = samples[:-1, 0]
    before[0, 0] = 1 << (bits - 1)
    code = ""
    for value in ((samples - before + 0x8000) % 0x10000 - 0x8000).ravel().tolist():
        size = abs(value).bit_length()
        code_of = value + (1 << size) - 1 if value < 0 else value
        code += f"{size:05b}" + (f"{code_of:0{size}b}" if size % 16 else "")
    code += "1" * (-len(code) % 8)
    data = int(code, 2).to_bytes(len(code) // 8, "big").replace(b"\xff", b"\xff\0")
    ids = range(1, count + 1)
    frame = struct.pack(">BHHB", bits, height, width, count) + b"".join(bytes((i, 0x11, 0)) for i in ids)
    scan = bytes([count]) + b"".join(bytes((i, 0)) for i in ids) + bytes((1, 0, 0))
    table = bytes(5) + bytes([17]) + bytes(11) + bytes(range(17))
    parts = [b"\xff" + bytes([marker]) + struct.pack(">H", len(part) + 2) + part
             for marker, part in ((0xC3, frame), (0xC4, table), (0xDA, scan))]  # fmt: skip
    return b"\xff\xd8" + b"".join(parts) + data + b"\xff\xd9"


def _dataset(syntax, frames, samples=1, bits=8, signed=False, colours="MONOCHROME2"):
    ds = Dataset()
    ds.file_meta = FileMetaDataset()
    ds.file_meta.TransferSyntaxUID = syntax
    ds.is_little_endian, ds.is_implicit_VR = True, False
    ds.Rows, ds.Columns, ds.SamplesPerPixel, ds.NumberOfFrames = ROWS, COLUMNS, samples, len(frames)
    ds.BitsAllocated, ds.BitsStored, ds.HighBit = 8 if bits <= 8 else 16, bits, bits - 1
    ds.PixelRepresentation, ds.PhotometricInterpretation = int(signed), colours
    if samples > 1:
        ds.PlanarConfiguration = 0
    ds.PixelData = encapsulate([bytes(frame) for frame in frames])
    ds["PixelData"].VR = "OB"
    return ds


def _cases():
    """A frame of each kind, with the samples it must give."""
    rgb = _pixels(3)
    for options in {"subsampling": "444"}, {"subsampling": "444", "progressive": True}:
        data = kostka.encode(rgb, **options)
        planes = kostka.decode(data, format="raw").planes
        yield _dataset(SYNTAX + "50", [data], 3, colours="YBR_FULL"), np.stack([np.asarray(p) for p in planes], -1)
    data = kostka.encode(rgb, colour="rgb")
    yield _dataset(SYNTAX + "50", [data], 3, colours="RGB"), np.asarray(kostka.decode(data))
    data = kostka.encode(_pixels())
    yield _dataset(SYNTAX + "51", [data, data]), np.stack([np.asarray(kostka.decode(data))] * 2)
    deep = kostka.encode(kostka.decode(kostka.encode(_pixels(1, 12), codec="j2k", depth=12)), quality=97)
    yield _dataset(SYNTAX + "51", [deep, deep], 1, 12), np.stack([np.asarray(kostka.decode(deep))] * 2)
    for bits, signed in (8, False), (12, False), (13, True), (16, False):
        pixels = _pixels(1, bits, signed)
        if signed:  # the samples' bits above those stored are theirs to say: pydicom extends no sign
            pixels &= 0x0FFF
        yield _dataset(SYNTAX + "70", [_lossless(pixels, bits)], 1, bits, signed), pixels
    yield _dataset(SYNTAX + "57", [_lossless(rgb, 8)] * 2, 3, colours="RGB"), np.stack([rgb, rgb])
    for syntax, codec in ("90", "j2k"), ("91", "jp2"), ("201", "jhc"):
        for bits, signed in (8, False), (8, True), (12, False), (13, True), (16, False):
            pixels = _pixels(1, bits, signed)
            data = kostka.encode(pixels, codec=codec, depth=bits)
            yield _dataset(SYNTAX + syntax, [data], 1, bits, signed), pixels
        data = kostka.encode(rgb, codec=codec)
        yield _dataset(SYNTAX + syntax, [data], 3, colours="YBR_RCT"), rgb
        planar = _dataset(SYNTAX + syntax, [data, data], 3, colours="YBR_RCT")
        planar.PlanarConfiguration = 1  # which means nothing for compressed samples
        yield planar, np.stack([rgb, rgb])
    signed = _pixels(1, 12, True)
    low = (signed & 0xFFF).astype("uint16")
    for coded, wanted in (low, signed), (signed, low):  # the dataset's sign counts, not the codestream's
        data = kostka.encode(coded, codec="j2k", depth=12)
        yield _dataset(SYNTAX + "90", [data], 1, 12, wanted.dtype.kind == "i"), wanted


def _collections():
    """Frames that are components, in one codestream or several, in one fragment each or several, with what they must give."""
    for end, bits, signed in ("92", 8, False), ("92", 12, False), ("93", 16, True):
        frames = np.stack([np.roll(_pixels(1, bits, signed), i, axis=1) for i in range(7)])
        if end == "93":
            coded = [kostka.encode_volume(frames.copy(), bits=bits, ratio=3)]
            frames = np.asarray(kostka.decode_volume(coded[0]))
        else:
            coded = [kostka.encode_volume(part.copy(), bits=bits) for part in (frames[:4], frames[4:6], frames[6:])]
        ds = _dataset(SYNTAX + end, coded, 1, bits, signed)
        ds.NumberOfFrames = 7
        if bits == 12:  # a codestream in several fragments
            ds.PixelData = encapsulate(coded, fragments_per_frame=3)
            ds["PixelData"].VR = "OB"
        yield ds, frames
    low = frames.view("uint16")  # the dataset's sign counts, not the codestream's
    ds = _dataset(SYNTAX + "93", coded, 1, 16)
    ds.NumberOfFrames = 7
    yield ds, low


class Register:
    def setUp(self):
        warnings.simplefilter("ignore")
        kostka.pydicom.register()
        self.addCleanup(kostka.pydicom.unregister)


@unittest.skipUnless(MAJOR >= 3, "pydicom 3 with NumPy is not installed")
class Three(Register, unittest.TestCase):
    def _decode(self, ds, plugin="kostka"):
        from pydicom.pixels import get_decoder

        return get_decoder(ds.file_meta.TransferSyntaxUID).as_array(ds, raw=True, decoding_plugin=plugin)[0]

    def test_frames(self):
        for ds, expected in _cases():
            np.testing.assert_array_equal(self._decode(ds), expected)

    def test_allocated(self):
        """Samples of 8 bits in a dataset that allocates 16."""
        for syntax, codec in ("51", "jpeg"), ("90", "j2k"):
            data = kostka.encode(_pixels(), codec=codec)
            ds = _dataset(SYNTAX + syntax, [data])
            ds.BitsAllocated = 16
            np.testing.assert_array_equal(self._decode(ds), np.asarray(kostka.decode(data)))

    def test_collections(self):
        from pydicom.pixels import get_decoder, pixel_array

        for ds, expected in _collections():
            np.testing.assert_array_equal(self._decode(ds), expected)
            np.testing.assert_array_equal(ds.pixel_array, expected)
            decoder = get_decoder(ds.file_meta.TransferSyntaxUID)
            np.testing.assert_array_equal(decoder.as_array(ds, index=5)[0], expected[5])
            np.testing.assert_array_equal([frame for frame, _ in decoder.iter_array(ds)], expected)
            self.assertEqual(bytes(decoder.as_buffer(ds, index=3)[0]), expected[3].tobytes())
            file = io.BytesIO()
            ds.SOPClassUID = ds.SOPInstanceUID = "1.2.3"
            ds.save_as(file, enforce_file_format=True)
            np.testing.assert_array_equal(pixel_array(file), expected)
            ds.decompress()
            np.testing.assert_array_equal(ds.pixel_array, expected)
            self.assertEqual(ds.file_meta.TransferSyntaxUID, "1.2.840.10008.1.2.1")
        kostka.pydicom.unregister()
        with self.assertRaises(NotImplementedError):
            get_decoder(SYNTAX + "92")

    def test_collections_refused(self):
        """A number or size of frames other than the dataset says, several samples, damage, another plugin."""
        ds, _ = next(_collections())
        for name, value, message in (
            ("NumberOfFrames", 8, "have 7 frames, the dataset says 8"),
            ("Rows", ROWS + 1, "45 rows and 61 columns"),
            ("SamplesPerPixel", 3, "3 samples"),
            ("BitsStored", 9, "9 of 8 bits"),
        ):
            wrong = copy.deepcopy(ds)
            setattr(wrong, name, value)
            with self.assertRaisesRegex(ValueError, message):
                self._decode(wrong)
        cut = copy.deepcopy(ds)
        cut.PixelData = encapsulate([bytes(kostka.encode_volume(_pixels()[None].repeat(7, 0)))[:200]])
        with self.assertRaises(kostka.KostkaError):
            self._decode(cut)
        with self.assertRaisesRegex(ValueError, "no plugin 'gdcm'"):
            self._decode(ds, "gdcm")

    def test_order(self):
        from pydicom.pixels import get_decoder

        for uid in OURS:
            self.assertEqual(next(iter(get_decoder(uid)._available)), "kostka")
        kostka.pydicom.unregister()
        for uid in OURS:
            self.assertNotIn("kostka", get_decoder(uid).available_plugins)

    def test_damage(self):
        """A damaged frame raises an error that says where."""
        for syntax, codec in ("50", "jpeg"), ("90", "j2k"):
            data = bytes(kostka.encode(_pixels(), codec=codec))
            with self.assertRaisesRegex(RuntimeError, r"kostka: .*\(at byte \d+"):
                self._decode(_dataset(SYNTAX + syntax, [data[: len(data) * 3 // 4]]))

    def test_size(self):
        """A frame whose sides are exchanged has as many samples as the dataset says, but not in its rows."""
        ds = _dataset(SYNTAX + "90", [kostka.encode(_pixels().T.copy(), codec="j2k")])
        with self.assertRaisesRegex(RuntimeError, "61 rows and 45 columns"):
            self._decode(ds)

    def test_against_others(self):
        """The files that come with pydicom: pylibjpeg's samples without loss, nearly so with loss; Pillow's JPEG."""
        from pydicom.pixels import get_decoder

        compared = 0
        for path in sorted(pathlib.Path(pydicom.__file__).parent.glob("data/test_files/*.dcm")):
            ds = pydicom.dcmread(path, force=True)
            uid = ds.get("file_meta", {}).get("TransferSyntaxUID")
            if uid not in OURS or "PixelData" not in ds or int(ds.get("NumberOfFrames") or 1) > 12:
                continue
            try:
                ours = self._decode(ds)
            except RuntimeError as error:  # three files that are damaged, one of 12 bits
                self.assertRegex(str(error), "tile-part with a wrong length|Rsiz is 0xFEFF|does not say it holds coefficients")
                continue
            others = get_decoder(uid).available_plugins
            if "pylibjpeg" in others:
                difference = np.abs(ours.astype(int) - self._decode(ds, "pylibjpeg"))
                self.assertLessEqual(difference.max(), 0 if uid in (SYNTAX + "90", SYNTAX + "201") else 1, path)
                compared += 1
            if "gdcm" in others and (uid != SYNTAX + "51" or ds.BitsAllocated == 8):  # it has no 12 bits
                difference = np.abs(ours.astype(int) - self._decode(ds, "gdcm"))
                self.assertLessEqual(difference.max(), 1 if uid == SYNTAX + "91" else 0, path)
                compared += 1
            if "pillow" in others and uid == SYNTAX + "50":
                np.testing.assert_array_equal(ours, self._decode(ds, "pillow"), path)
                compared += 1
        if not compared:
            self.skipTest("pydicom has no other plugin here (pip install pylibjpeg-libjpeg pylibjpeg-openjpeg)")

    def _encode(self, syntax, pixels, bits, colours="MONOCHROME2", **options):
        from pydicom.pixels import get_encoder

        return get_encoder(SYNTAX + syntax).encode(
            pixels,
            encoding_plugin="kostka",
            rows=ROWS,
            columns=COLUMNS,
            number_of_frames=1,
            samples_per_pixel=1 if pixels.ndim == 2 else 3,
            bits_allocated=8 * pixels.itemsize,
            bits_stored=bits,
            pixel_representation=int(pixels.dtype.kind == "i"),
            photometric_interpretation=colours,
            planar_configuration=0,
            **options,
        )

    def test_encode(self):
        for samples, bits, signed, colours in (
            (1, 8, False, "MONOCHROME2"),
            (1, 13, True, "MONOCHROME2"),
            (3, 8, False, "RGB"),
            (3, 8, False, "YBR_RCT"),
        ):
            pixels = _pixels(samples, bits, signed)
            data = self._encode("90", pixels, bits, colours)
            self.assertEqual(data[:2], b"\xff\x4f")
            ds = _dataset(SYNTAX + "90", [data], samples, bits, signed, colours)
            np.testing.assert_array_equal(self._decode(ds), pixels)
        for bits in 8, 12:  # a dataset of planes
            pixels = _pixels(3, bits)
            ds = _dataset("1.2.840.10008.1.2.1", [bytes(2)], 3, bits, colours="RGB")
            ds.PlanarConfiguration, ds.PixelData = 1, pixels.transpose(2, 0, 1).tobytes() + b"\0" * (pixels.nbytes % 2)
            ds.SOPClassUID = ds.SOPInstanceUID = "1.2.3"
            ds.compress(SYNTAX + "90", encoding_plugin="kostka")
            np.testing.assert_array_equal(self._decode(ds), pixels)
        data = self._encode("91", _pixels(1, 12), 12, j2k_cr=[20, 8])
        self.assertLessEqual(len(data), ROWS * COLUMNS * 12 // 8 // 8 + 1)
        self.assertEqual(kostka.info(data).jpeg2000["layers"], 2)
        with self.assertRaisesRegex(RuntimeError, "j2k_cr or j2k_psnr"):
            self._encode("91", _pixels(), 8)
        for syntax in "90", "201", "202":
            with self.assertRaisesRegex(RuntimeError, "has no ratio"):
                self._encode(syntax, _pixels(), 8, j2k_cr=[5])

    def test_encode_ht(self):
        """HTJ2K, for which pydicom has no encoders: without loss, with RPCL, and with a target."""
        from pydicom.pixels import get_encoder

        for end in "201", "202", "203":
            for samples, bits, signed, colours in (
                (1, 8, False, "MONOCHROME2"),
                (1, 13, True, "MONOCHROME2"),
                (1, 16, False, "MONOCHROME2"),
                (3, 8, False, "RGB"),
                (3, 8, False, "YBR_RCT"),
            ):
                pixels = _pixels(samples, bits, signed)
                data = self._encode(end, pixels, bits, colours)
                described = kostka.info(data).jpeg2000
                self.assertEqual(described["progression"], "RPCL" if end == "202" else "LRCP")
                self.assertEqual(b"\xff\x55" in data[: data.index(b"\xff\x90")], end == "202")  # TLM
                self.assertIn(b"\xff\x50", data[:80])  # CAP
                ds = _dataset(SYNTAX + end, [data], samples, bits, signed, colours)
                np.testing.assert_array_equal(self._decode(ds), pixels)
        large = kostka.pydicom.encode_pixel_data(
            bytes(5000 * 9), rows=9, columns=5000, samples_per_pixel=1, bits_stored=8, transfer_syntax_uid=SYNTAX + "202"
        )
        self.assertLessEqual(-(-5000 >> kostka.info(large).jpeg2000["levels"]), 64)
        self.assertEqual(kostka.info(large).jpeg2000["levels"], 7)
        data = self._encode("203", _pixels(1, 12), 12, j2k_cr=[8])
        self.assertLessEqual(len(data), ROWS * COLUMNS * 12 // 8 // 8 + 1)
        ds = _dataset("1.2.840.10008.1.2.1", [bytes(2)])
        ds.NumberOfFrames, ds.PixelData = 2, _pixels().tobytes() * 2
        ds.SOPClassUID = ds.SOPInstanceUID = "1.2.3"
        ds.compress(SYNTAX + "202")
        np.testing.assert_array_equal(self._decode(ds), np.stack([_pixels()] * 2))
        kostka.pydicom.unregister()
        with self.assertRaises(NotImplementedError):
            get_encoder(SYNTAX + "201")
        kostka.pydicom.register()
        self.assertTrue(get_encoder(SYNTAX + "201").is_available)


@unittest.skipUnless(MAJOR == 2, "pydicom 2 with NumPy is not installed")
class Two(Register, unittest.TestCase):
    def test_frames(self):
        for ds, expected in _cases():
            if ds.file_meta.TransferSyntaxUID != SYNTAX + "201":  # which pydicom 2 does not know
                np.testing.assert_array_equal(ds.pixel_array, expected)

    def test_collections(self):
        for ds, expected in _collections():
            np.testing.assert_array_equal(ds.pixel_array, expected)

    def test_unregister(self):
        self.assertIs(pydicom.config.pixel_data_handlers[0], kostka.pydicom)
        kostka.pydicom.unregister()
        self.assertNotIn(kostka.pydicom, pydicom.config.pixel_data_handlers)


@unittest.skipUnless(MAJOR, "pydicom with NumPy is not installed")
class Functions(unittest.TestCase):
    def test_pylibjpeg(self):
        """The functions that pylibjpeg finds by the package's entry points."""
        pixels = _pixels(1, 12)
        data = kostka.pydicom.encode_pixel_data(
            pixels.tobytes(), rows=ROWS, columns=COLUMNS, samples_per_pixel=1, bits_stored=12
        )
        self.assertEqual(kostka.pydicom.decode_pixel_data(data, version=2), bytearray(pixels.tobytes()))
        self.assertEqual(kostka.pydicom.decode_pixel_data(data).dtype, np.uint8)
        with self.assertWarnsRegex(UserWarning, "Kostka: the codestream ends early"):
            short = kostka.pydicom.decode_pixel_data(data[: len(data) // 2], version=2)
        self.assertEqual(len(short), pixels.nbytes)


if __name__ == "__main__":
    unittest.main()
