# SPDX-License-Identifier: BSD-2-Clause
"""NVIDIA's nvImageCodec, as PyPI has it, decodes and encodes with Kostka's extension: the pixels and bytes of Kostka."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.environ.get("NVIMGCODEC_PACKAGES", ""))  # behind all other packages

import kostka

EXTENSION = os.environ.get("NVIMGCODEC_EXTENSION", "")  # empty: its header was not found
os.environ.setdefault("NVIMGCODEC_EXTENSIONS_PATH", os.path.dirname(EXTENSION))
try:
    import numpy as np
    from nvidia import nvimgcodec as nv
except ImportError:
    nv = None

WIDTH, HEIGHT = 157, 93
CUDA = any(device.kind == "cuda" for device in kostka.devices())


def _picture(channels=3, bits=8, width=WIDTH, height=HEIGHT):
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    noise = np.random.default_rng(1).integers(0, 9, y.shape)
    values = (x * (c + 2) + y * 3 + c * 40 + noise) * (1 << (bits - 8)) + x
    return (values % (1 << bits)).astype(np.uint8 if bits == 8 else np.uint16)


def _with_orientation(jpeg, orientation):
    """Put an Exif segment behind SOI."""
    tiff = struct.pack("<2sHLHHHLHHL", b"II", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    segment = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


def _where(kind, device):
    return {"device_id": device, "backends": [nv.Backend(kind)]}


class _Codec:
    """Tests for either back end, whose `backend` says which; `own` has the options of Kostka."""

    @classmethod
    def setUpClass(cls):
        cls.decoder = nv.Decoder(**cls.backend())
        cls.encoder = nv.Encoder(**cls.backend())

    def decode(self, data, region=None, **parameters):
        stream = nv.CodeStream(data)
        if region:
            stream = stream.get_sub_code_stream(nv.CodeStreamView(region=nv.Region(*region)))
        image = self.decoder.decode(stream, params=nv.DecodeParams(**parameters))
        return None if image is None else np.array(image.cpu())

    def image(self, pixels, **options):
        """An image for the encoder, where its back end wants it."""
        image = nv.as_image(np.ascontiguousarray(pixels), **options)
        return image.cuda() if self.on_device else image

    def encode(self, pixels, codec, as_image={}, **parameters):
        stream = self.encoder.encode(self.image(pixels, **as_image), codec, params=nv.EncodeParams(**parameters))
        return None if stream is None else bytes(stream)

    def equal(self, got, expected):
        self.assertIsNotNone(got)
        np.testing.assert_array_equal(got, np.asarray(expected).reshape(got.shape))

    def test_jpeg(self):
        for options in {}, {"progressive": True}, {"subsampling": "444"}, {"subsampling": "422", "restart": 3}:
            data = bytes(kostka.encode(_picture(), **options))
            rgb = np.asarray(kostka.decode(data, device="cpu"))
            formats = nv.SampleFormat
            self.equal(self.decode(data), rgb)
            self.equal(self.decode(data, sample_format=formats.I_BGR), rgb[:, :, ::-1])
            self.equal(self.decode(data, sample_format=formats.P_RGB), rgb.transpose(2, 0, 1))
            self.equal(self.decode(data, sample_format=formats.P_BGR), rgb[:, :, ::-1].transpose(2, 0, 1))
            self.equal(self.decode(data, color_spec=nv.ColorSpec.UNCHANGED), rgb)
            grey = kostka.decode(data, format="grey", device="cpu")
            self.equal(self.decode(data, color_spec=nv.ColorSpec.GRAY), grey)
            self.equal(self.decode(data, color_spec=nv.ColorSpec.GRAY, sample_format=formats.P_Y), grey)

    def test_grey_jpeg(self):
        data = bytes(kostka.encode(_picture(1)[:, :, 0]))
        self.equal(self.decode(data, color_spec=nv.ColorSpec.UNCHANGED), kostka.decode(data, device="cpu"))
        self.equal(self.decode(data), kostka.decode(data, format="rgb", device="cpu"))

    def test_inks(self):
        """CMYK is refused without a message, since the framework's own decoders convert it."""
        data = bytes(kostka.encode(_picture(4), format="cmyk"))
        self.assertIsNone(self.decode(data))

    def test_components(self):
        """Components of one size as coded; others are refused, and no other decoder is there."""
        ycc = {"color_spec": nv.ColorSpec.SYCC, "sample_format": nv.SampleFormat.P_YUV}
        data = bytes(kostka.encode(_picture(), subsampling="444"))
        planes = kostka.decode(data, format="raw", device="cpu")
        self.equal(self.decode(data, **ycc), np.stack([np.asarray(plane) for plane in planes.planes]))
        self.assertIsNone(self.decode(bytes(kostka.encode(_picture())), **ycc))

    def test_jpeg2000(self):
        for options in {"codec": "jp2"}, {"codec": "j2k", "tiles": (64, 48)}, {"codec": "jph"}, {"codec": "jp2", "ratio": 9}:
            data = bytes(kostka.encode(_picture(), **options))
            rgb = np.asarray(kostka.decode(data, device="cpu"))
            self.equal(self.decode(data), rgb)
            self.equal(self.decode(data, sample_format=nv.SampleFormat.P_RGB), rgb.transpose(2, 0, 1))
            self.equal(self.decode(data, region=(10, 20, 61, 83)), rgb[10:61, 20:83])

    def test_sixteen_bits(self):
        for bits in 12, 16:
            picture = _picture(1, bits)[:, :, 0]
            data = bytes(kostka.encode(picture, codec="jp2", depth=bits))
            self.equal(self.decode(data, color_spec=nv.ColorSpec.UNCHANGED, allow_any_depth=True), picture)
            narrow = self.decode(data, color_spec=nv.ColorSpec.UNCHANGED)
            if not self.on_device:  # the device leaves it to other decoders
                self.equal(narrow, picture >> (bits - 8))

    def test_signed(self):
        """Samples with signs as coded, which no other format has."""
        unchanged = {"color_spec": nv.ColorSpec.UNCHANGED, "allow_any_depth": True}
        signed = (_picture(1, 12)[:, :, 0].astype(int) - 2048).astype("int16")
        self.equal(self.decode(bytes(kostka.encode(signed, codec="jp2", depth=12)), **unchanged), signed)
        data = self.encode(signed[:, :, None], "jpeg2k", quality_type=nv.QualityType.LOSSLESS)
        self.assertIsNotNone(data)
        self.equal(np.asarray(kostka.decode(data, device="cpu")), signed)

    def test_orientation_and_regions(self):
        plain = bytes(kostka.encode(_picture()))
        for orientation in range(1, 9):
            data = _with_orientation(plain, orientation)
            turned = np.asarray(kostka.decode(data, orient=True, device="cpu"))
            self.equal(self.decode(data), turned)
            self.equal(self.decode(data, region=(7, 12, 70, 41)), turned[7:70, 12:41])
            coded = np.asarray(kostka.decode(plain, device="cpu"))
            self.equal(self.decode(data, region=(7, 12, 70, 41), apply_exif_orientation=False), coded[7:70, 12:41])
        self.assertIsNone(self.decode(plain, region=(-1, 0, 10, 10)))
        self.assertIsNone(self.decode(plain, region=(0, 0, HEIGHT + 1, 10)))

    def test_batch(self):
        """A damaged picture and one that is cut off fail alone."""
        pictures = [_picture(width=40 + i, height=30 + i) for i in range(12)]
        streams = [bytes(kostka.encode(p, codec="jpeg" if i % 3 else "jp2")) for i, p in enumerate(pictures)]
        expected = [np.asarray(kostka.decode(data, device="cpu")) for data in streams]
        damaged = bytes(kostka.encode(_picture()))
        streams[4] = damaged[: len(damaged) // 2]
        streams[6] = streams[6][: len(streams[6]) // 2]
        table = damaged.index(b"\xff\xc4")
        streams[8] = damaged[: table + 5] + b"\xff" * 16 + damaged[table + 21 :]
        scan = damaged.index(b"\xff\xda")
        streams[10] = damaged[:scan] + bytes(3) + damaged[scan : len(damaged) // 2]  # the first warning does no harm
        images = self.decoder.decode([nv.CodeStream(data) for data in streams])
        for i, image in enumerate(images):
            if i in (4, 6, 8, 10):
                self.assertIsNone(image, i)
            else:
                self.equal(np.array(image.cpu()), expected[i])

    def test_encode_jpeg(self):
        quality = {"quality_type": nv.QualityType.QUALITY, "quality_value": 88}
        picture = _picture()
        css = nv.ChromaSubsampling
        own = {"quality": 88, "device": "cpu"}
        self.assertEqual(self.encode(picture, "jpeg", **quality), bytes(kostka.encode(picture, **own)))
        self.assertEqual(
            self.encode(picture, "jpeg", chroma_subsampling=css.CSS_444, **quality),
            bytes(kostka.encode(picture, subsampling="444", **own)),
        )
        self.assertEqual(
            self.encode(picture, "jpeg", chroma_subsampling=css.CSS_GRAY, **quality),
            bytes(kostka.encode(picture, colour="grey", **own)),
        )
        self.assertEqual(
            self.encode(picture, "jpeg", jpeg_encode_params=nv.JpegEncodeParams(progressive=True), **quality),
            bytes(kostka.encode(picture, coding="progressive", **own)),
        )
        planes = picture.transpose(2, 0, 1)
        self.assertEqual(
            self.encode(planes, "jpeg", as_image={"sample_format": nv.SampleFormat.P_RGB}, **quality),
            bytes(kostka.encode(picture, **own)),
        )
        grey = np.ascontiguousarray(picture[:, :, :1])
        self.assertEqual(self.encode(grey, "jpeg", **quality), bytes(kostka.encode(grey[:, :, 0], **own)))
        self.assertIsNone(self.encode(picture, "jpeg", quality_type=nv.QualityType.PSNR, quality_value=40))
        self.assertIsNone(self.encode(picture, "jpeg", tile_width=64, tile_height=64))
        self.assertIsNone(self.encode(_picture(4), "jpeg"))

    def test_encode_jpeg2000(self):
        lossless = {"quality_type": nv.QualityType.LOSSLESS}
        for channels, bits in (1, 8), (3, 8), (4, 8), (1, 16), (3, 12):
            picture = _picture(channels, bits)
            for ht in False, True:
                own = nv.Jpeg2kEncodeParams(ht=ht, mct_mode=1)
                data = self.encode(picture, "jpeg2k", {"precision": bits}, jpeg2k_encode_params=own, **lossless)
                self.assertIsNotNone(data, (channels, bits, ht))
                self.equal(np.asarray(kostka.decode(data, device="cpu")), picture)
        data = self.encode(_picture(), "jpeg2k", tile_width=64, tile_height=48, **lossless)
        self.assertEqual(kostka.info(data).jpeg2000["tiles"], 6)
        raw = nv.Jpeg2kEncodeParams(num_resolutions=3, bitstream_type=nv.Jpeg2kBitstreamType.J2K)
        data = self.encode(_picture(), "jpeg2k", jpeg2k_encode_params=raw, **lossless)
        info = kostka.info(data).jpeg2000
        self.assertEqual((info["levels"], info["jp2"]), (2, False))
        picture = _picture()
        data = self.encode(picture, "jpeg2k", quality_type=nv.QualityType.SIZE_RATIO, quality_value=0.1)
        self.assertLessEqual(len(data), picture.size // 10 + 1)
        data = self.encode(picture, "jpeg2k", quality_type=nv.QualityType.PSNR, quality_value=38)
        error = np.mean((np.asarray(kostka.decode(data, device="cpu")).astype(float) - picture) ** 2)
        self.assertGreaterEqual(10 * np.log10(255**2 / error), 37.9)


@unittest.skipUnless(nv and EXTENSION, "NumPy or nvImageCodec is not installed (pip install nvidia-nvimgcodec-cu12)")
class Cpu(_Codec, unittest.TestCase):
    on_device = False

    @staticmethod
    def backend():
        return _where(nv.BackendKind.CPU_ONLY, nv.NVIMGCODEC_DEVICE_CPU_ONLY)

    def test_priority(self):
        """With NVIDIA's extensions beside it ours is asked first, and what it refuses goes on to them."""
        script = """if True:
            import sys
            import numpy as np
            sys.path.append(sys.argv[1])
            from nvidia import nvimgcodec as nv
            decoder = nv.Decoder(device_id=nv.NVIMGCODEC_DEVICE_CPU_ONLY, backends=[nv.Backend(nv.BackendKind.CPU_ONLY)])
            image = decoder.decode(nv.CodeStream(sys.argv[2]))
            assert np.array(image.cpu()).shape == (93, 157, 3)
            image = decoder.decode(nv.CodeStream(sys.argv[3]), params=nv.DecodeParams(color_spec=nv.ColorSpec.GRAY))
            assert np.array(image.cpu()).shape[:2] == (93, 157)
        """
        theirs = pathlib.Path(nv.__file__).parent / "extensions"
        with tempfile.TemporaryDirectory() as folder:
            for extension in [EXTENSION, *theirs.iterdir()]:
                os.symlink(extension, os.path.join(folder, os.path.basename(extension)))
            jpeg, jp2 = os.path.join(folder, "a.jpg"), os.path.join(folder, "a.jp2")
            data = bytes(kostka.encode(_picture()))
            pathlib.Path(jpeg).write_bytes(data[:-2] + bytes(9) + data[-2:])  # which Kostka's decoder warns of
            kostka.save(jp2, _picture())
            environment = {**os.environ, "NVIMGCODEC_EXTENSIONS_PATH": folder}
            command = [sys.executable, "-B", "-c", script, os.environ.get("NVIMGCODEC_PACKAGES", ""), jpeg, jp2]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("[kostka_jpeg] decode: bytes that belong to no marker", done.stderr + done.stdout)


@unittest.skipUnless(nv and EXTENSION and CUDA, "there is no CUDA device")
class Gpu(_Codec, unittest.TestCase):
    on_device = True

    @staticmethod
    def backend():
        return _where(nv.BackendKind.GPU_ONLY, 0)


if __name__ == "__main__":
    unittest.main()
