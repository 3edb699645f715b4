# SPDX-License-Identifier: BSD-2-Clause
"""Encoding and transcoding JPEG 2000, and what decoding it takes besides."""

import struct
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 96, 80


def element(file, marker):
    """The contents of the first such marker segment of a codestream's headers, behind its length; None: none."""
    at = file.index(b"\xff\x4f\xff\x51") + 2
    while True:
        code, length = struct.unpack(">HH", file[at : at + 4])
        if code == marker:
            return file[at + 4 : at + 2 + length]
        if code == 0xFF90:  # SOT: then come those of the tile-part
            at += 12
        elif code == 0xFF93:
            return None
        else:
            at += 2 + length


SIZ, COD, COC, QCD, QCC, RGN, POC, PPM, PPT, TLM, PLT, COM = (
    0xFF51,
    0xFF52,
    0xFF53,
    0xFF5C,
    0xFF5D,
    0xFF5E,
    0xFF5F,
    0xFF60,
    0xFF61,
    0xFF55,
    0xFF58,
    0xFF64,
)


class Jpeg2000(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(WIDTH, HEIGHT)
        self.bytes = bytes(self.array)

    def code(self, **options):
        return kostka.encode(self.array, codec="j2k", **options)

    def test_codecs(self):
        for codec, jp2 in (("jpeg2000", True), ("jp2", True), ("j2k", False)):
            file = kostka.encode(self.array, codec=codec)
            info = kostka.info(file)
            self.assertEqual((info.codec, info.jpeg2000["jp2"], info.jpeg2000["reversible"]), ("jpeg2000", jp2, True))
            self.assertEqual(bytes(kostka.decode(file)), self.bytes)
            self.assertEqual(kostka.encode(self.array, codec=codec, lossless=True), file)
        self.assertEqual(self.code(), kostka.encode(self.array, codec="jp2", codestream=True))
        self.assertEqual(kostka.encode_batch([self.array] * 2, codec="j2k"), [self.code()] * 2)

    def test_targets(self):
        pixels = WIDTH * HEIGHT
        for rate in (0.5, 2):
            self.assertLessEqual(len(self.code(rate=rate)) * 8, rate * pixels)
        self.assertLessEqual(len(self.code(ratio=10)) * 10, 3 * pixels)
        errors = {}
        for psnr in (30, 45):
            image = bytes(kostka.decode(self.code(psnr=psnr)))
            errors[psnr] = sum((a - b) ** 2 for a, b in zip(image, self.bytes)) / len(image)
            self.assertLess(errors[psnr], 255**2 / 10 ** (psnr / 10) * 1.001)
        self.assertLess(errors[45], errors[30] / 10)
        self.assertGreater(len(self.code(step=1)), len(self.code(step=8)))
        self.assertFalse(kostka.info(self.code(rate=2)).jpeg2000["reversible"])
        self.assertTrue(kostka.info(self.code(rate=2, reversible=True)).jpeg2000["reversible"])

    def test_layers(self):
        file = self.code(rate=(0.5, 1, 2))
        self.assertEqual(kostka.info(file).jpeg2000["layers"], 3)
        wanted = self.code(rate=[0.5, 1, 2], layers=3)
        self.assertEqual(file, wanted)
        self.assertEqual(kostka.info(self.code(layers=5)).jpeg2000["layers"], 5)
        sizes = [pictures.error(bytes(kostka.decode(file, layers=count)), self.bytes) for count in (1, 2, 3)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_structure(self):
        info = kostka.info(self.code(tiles=(40, 30), levels=2, progression="RPCL")).jpeg2000
        self.assertEqual((info["tile"], info["tiles"], info["levels"], info["progression"]), ((40, 30), 9, 2, "RPCL"))
        self.assertEqual(kostka.info(self.code(tiles=32)).jpeg2000["tile"], (32, 32))
        siz = element(self.code(tiles=64, image_origin=(5, 6), tile_origin=(3, 4)), SIZ)
        self.assertEqual(struct.unpack(">8I", siz[2:34]), (WIDTH + 5, HEIGHT + 6, 5, 6, 64, 64, 3, 4))
        cod = element(self.code(codeblock=(32, 16), style=("bypass", "causal"), sop=True, eph=True), COD)
        self.assertEqual((cod[0], cod[6], cod[7], cod[8]), (0b110, 3, 2, 1 | 8))
        self.assertEqual(element(self.code(style="termall"), COD)[8], 4)
        cod = element(self.code(precincts=[(128, 64), 32], levels=3), COD)
        self.assertEqual((cod[0], list(cod[10:])), (1, [0x55, 0x55, 0x55, 0x67]))
        self.assertEqual(element(self.code(guard_bits=4), QCD)[0] >> 5, 4)
        self.assertEqual(element(self.code(rate=2, derived_steps=True), QCD)[0] & 31, 1)
        self.assertEqual(element(self.code(keep_components=True), COD)[4], 0)
        self.assertEqual(element(self.code(), COD)[4], 1)
        for options, marker in (
            ({"interest": (10, 10, 20, 20)}, RGN),
            ({"plt": True}, PLT),
            ({"tlm": True}, TLM),
            ({"packed": "ppm"}, PPM),
            ({"packed": "ppt"}, PPT),
            ({"poc": [("RLCP", (0, 2)), ("LRCP", None, (0, 3), 1)]}, POC),
            ({"component": {"component": 1, "levels": 3}, "keep_components": True}, COC),
            ({"component": [{"component": 2, "guard_bits": 5}]}, QCC),
            ({"comment": b"a word"}, COM),
        ):
            with self.subTest(options=options):
                file = self.code(**options)
                self.assertIsNotNone(element(file, marker))
                self.assertIsNone(element(self.code(), marker))
                self.assertEqual(bytes(kostka.decode(file)), self.bytes)
        self.assertEqual(element(self.code(poc=[("RLCP", (0, 2)), "LRCP"]), POC)[:7], bytes([0, 0, 0, 1, 2, 3, 1]))
        parts = self.code(tile_parts=["resolution", "layer"], layers=2).count(b"\xff\x90\0\x0a")
        self.assertGreater(parts, self.code(tile_parts="layer", layers=2).count(b"\xff\x90\0\x0a"))

    def test_profiles(self):
        self.assertEqual(element(self.code(profile="profile0"), SIZ)[:2], b"\0\1")
        self.assertEqual(element(self.code(profile="broadcast:5"), SIZ)[:2], b"\1\5")
        self.assertEqual(element(self.code(frame_rate=25, profile="imf2k:6,3"), SIZ)[:2], b"\4\x36")
        first, last = self.code(levels=3, profile="profile1"), self.code(profile="profile1", levels=3)
        self.assertEqual(first, last)
        self.assertEqual(kostka.info(first).jpeg2000["levels"], 3)
        for wrong in ("cinema", "cinema2k:1", "broadcast:", "broadcast:5,", "broadcast:99", "imf4k:6,3,1", ""):
            self.assertRaises(ValueError, self.code, profile=wrong)

    def test_samples(self):
        """More than four components, signed ones, and depths that must be said."""
        planes = memoryview(bytes(range(240)) * 2).cast("b", (6, 8, 10))
        file = kostka.encode(planes, codec="j2k", format="planar")
        image = kostka.decode(file)
        self.assertEqual((image.shape, image.dtype, len(image.planes)), ((6, 8, 10), "int8", 6))
        self.assertEqual(bytes(image), planes.tobytes())
        room = memoryview(bytearray(480)).cast("b", planes.shape)
        kostka.decode(file, out=room)
        self.assertEqual(room.tobytes(), planes.tobytes())
        some = kostka.decode(file, components=[1, 4])
        self.assertEqual(bytes(some), bytes(image.planes[1]) + bytes(image.planes[4]))
        self.assertEqual(bytes(kostka.decode(file, components=(5,))), bytes(image.planes[5]))
        wide = memoryview(bytearray(80 * 4)).cast("I", (8, 10))
        for options in ({}, {"depth": 16}, {"depth": 32}, {"depth": 0}):
            self.assertRaises(ValueError, kostka.encode, wide, codec="j2k", **options)
        for kind, options in (("H", {"depth": 8}), ("B", {"depth": 9})):
            self.assertRaises(
                ValueError,
                kostka.encode,
                memoryview(bytearray(80)).cast(kind, (80 // struct.calcsize(kind), 1)),
                codec="j2k",
                **options
            )
        self.assertRaises(TypeError, kostka.encode, wide.cast("B").cast("f", (8, 10)), codec="j2k")
        self.assertRaises(ValueError, kostka.encode, planes.cast("B").cast("b", (16, 10, 3)), codec="j2k")
        rgb16 = memoryview(bytes(range(240)) * 2).cast("H", (8, 10, 3))
        for depth in (None, 16):
            self.assertEqual(bytes(kostka.decode(kostka.encode(rgb16, codec="jp2", depth=depth))), rgb16.tobytes())

    def test_tile(self):
        file = self.code(tiles=(40, 30))
        whole = kostka.decode(file)
        self.assertEqual(kostka.decode(file, tile=4), whole[30:60, 40:80])
        self.assertRaises(kostka.KostkaError, kostka.decode, file, tile=9)

    def test_metadata(self):
        file = kostka.encode(self.array, codec="jp2", exif=b"II*\0", xmp=b"<x/>", density=("inch", 300, 200))
        info = kostka.info(file)
        found = {item.kind: item.data for item in info.metadata}
        self.assertEqual((found["exif"], found["xmp"]), (b"II*\0", b"<x/>"))
        self.assertEqual(info.density, ("inch", 300, 200))

    def test_high_throughput(self):
        """Code-blocks of T.814, in a file and without one; the quality that its encoders have."""
        file = kostka.encode(self.array, codec="jph")
        self.assertEqual(file[20:24], b"jph ")
        self.assertEqual(bytes(kostka.decode(file)), bytes(self.array))
        bare = kostka.encode(self.array, codec="jhc")
        self.assertEqual(bare[:4], b"\xff\x4f\xff\x51")
        self.assertEqual(bare, kostka.encode(self.array, codec="j2k", style="ht"))
        sizes = [len(kostka.encode(self.array, codec="jph", quality=quality)) for quality in (20, 80, 98)]
        self.assertEqual(sizes, sorted(set(sizes)))
        for points, wanted in ((9, 16, 0), (9, 16, 0, True)), ((1, 1, 0, False), (1, 1, 0, False)):
            named = kostka.encode(self.array, codec="jph", code_points=points)
            self.assertEqual(kostka.info(named).jpeg2000["code_points"], wanted)
        self.assertIsNone(kostka.info(file).jpeg2000["code_points"])
        exact = kostka.encode(self.array, codec="jhc", ratio=8, passes=3)
        self.assertLessEqual(len(exact), WIDTH * HEIGHT * 3 // 8)

    def test_contradictions(self):
        """Nothing that was said is dropped: the exception names the option."""
        for options, name in (
            ({"quality": 80, "rate": 1}, "quality"),
            ({"quality": 80, "lossless": True}, "quality"),
            ({"weights": "loud"}, "weights"),
            ({"subsampling": "420"}, "subsampling"),
            ({"progressive": True}, "progressive"),
            ({"restart": 3}, "restart"),
            ({"rate": 1, "lossless": True}, "lossless"),
            ({"rate": 1, "psnr": 40}, "psnr"),
            ({"lossless": False}, "lossless"),
            ({"rate": 0}, "rate"),
            ({"rate": float("nan")}, "rate"),
            ({"rate": (1, -1)}, "rate"),
            ({"rate": ()}, "rate"),
            ({"rate": (1, 2), "layers": 3}, "rate"),
            ({"layers": 0}, "layers"),
            ({"levels": 33}, "levels"),
            ({"progression": "LCRP"}, "progression"),
            ({"style": ["fast"]}, "style"),
            ({"packed": "somewhere"}, "packed"),
            ({"tile_parts": "row"}, "tile_parts"),
            ({"poc": []}, "poc"),
            ({"poc": [("XYZ",)]}, "poc"),
            ({"poc": [("LRCP", (0, 1), (0, 1), 1, 1)]}, "poc"),
            ({"precincts": []}, "precincts"),
            ({"component": {"levels": 3}}, "component"),
            ({"guard_bits": 8}, "guard_bits"),
            ({"code_points": (1, 13, -1)}, "code_points"),
            ({"code_points": (1, 13, 0)}, "code points"),
            ({"interest": (1, 2, 3)}, "interest"),
            ({"depth": 0}, "depth"),
        ):
            with self.subTest(options=options):
                with self.assertRaises(ValueError) as caught:
                    self.code(**options)
                self.assertIn(name, str(caught.exception))
        for options, name in (
            ({"rate": "much"}, "rate"),
            ({"layers": 1.5}, "layers"),
            ({"tiles": (1, 2, 3)}, "tiles"),
            ({"tiles": "64x64"}, "tiles"),
            ({"style": 3}, "style"),
            ({"poc": "LRCP"}, "poc"),
            ({"poc": [("LRCP", 3)]}, "poc"),
            ({"precincts": 64}, "precincts"),
            ({"component": [1]}, "component"),
            ({"component": {"component": 1, "colour": 3}}, "component"),
            ({"profile": 3}, "profile"),
            ({"interest": 5}, "interest"),
            ({"losless": True}, "losless"),
        ):
            with self.subTest(options=options):
                with self.assertRaises(TypeError) as caught:
                    self.code(**options)
                self.assertIn(name, str(caught.exception))
        for name in ("lossless", "rate", "psnr", "tiles", "plt", "profile"):
            with self.assertRaises(ValueError) as caught:
                kostka.encode(self.array, **{name: {"profile": "profile0"}.get(name, 1)})
            self.assertIn(name, str(caught.exception))


class Transcoding(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(WIDTH, HEIGHT)
        self.file = kostka.encode(self.array, codec="j2k", layers=4, tiles=64)
        self.image = kostka.decode(self.file)

    def test_options(self):
        for options, marker in (
            ({"plt": True, "tlm": True}, PLT),
            ({"tlm": True}, TLM),
            ({"packed": "ppm"}, PPM),
            ({"packed": "ppt"}, PPT),
        ):
            made = kostka.transcode(self.file, **options)
            self.assertIsNotNone(element(made, marker))
            self.assertEqual(kostka.decode(made), self.image)
            back = kostka.transcode(made, plt=False, tlm=False, packed="inline")
            self.assertIsNone(element(back, marker))
        made = kostka.transcode(self.file, sop=True, eph=True)
        self.assertEqual(element(made, COD)[0], 6)
        self.assertEqual(element(kostka.transcode(made, sop=False), COD)[0], 4)
        self.assertEqual(kostka.info(kostka.transcode(self.file, progression="CPRL")).jpeg2000["progression"], "CPRL")
        self.assertEqual(kostka.transcode(self.file, progression="LRCP"), kostka.transcode(self.file))
        for layers in (1, 3):
            made = kostka.transcode(self.file, layers=layers)
            self.assertEqual(kostka.info(made).jpeg2000["layers"], layers)
            self.assertEqual(kostka.decode(made), kostka.decode(self.file, layers=layers))
        made = kostka.transcode(self.file, reduce=1)
        self.assertEqual(kostka.decode(made), kostka.decode(self.file, reduce=1))
        self.assertLessEqual(len(kostka.transcode(self.file, rate=1)) * 8, WIDTH * HEIGHT)
        self.assertTrue(kostka.info(kostka.transcode(self.file, container="jp2")).jpeg2000["jp2"])
        made = kostka.transcode(self.file, ht=True)
        self.assertEqual(kostka.decode(made), self.image)
        self.assertEqual(kostka.transcode(made, ht=False), kostka.transcode(self.file))
        self.assertEqual(kostka.transcode(made, container="jp2")[20:24], b"jph ")
        parts = kostka.transcode(self.file, tile_parts=("layer", "resolution"), interleave=True)
        self.assertGreater(parts.count(b"\xff\x90\0\x0a"), 4)
        self.assertEqual(kostka.decode(parts), self.image)
        bare = kostka.encode(self.array, codec="j2k", keep_components=True)
        one = kostka.decode(kostka.transcode(bare, components=[1]))
        self.assertEqual(bytes(one), bytes(self.array)[1::3])

    def test_options_of_the_other_codec(self):
        jpeg = kostka.encode(self.array)
        for name, value in (("crop", (0, 0, 16, 16)), ("grey", True), ("transform", "flip_h"), ("progressive", True)):
            for file in (self.file, kostka.encode(self.array, codec="jp2")):
                with self.assertRaises(ValueError) as caught:
                    kostka.transcode(file, **{name: value})
                self.assertIn(name, str(caught.exception))
        for name, value in (("reduce", 1), ("layers", 1), ("plt", False), ("container", "jp2"), ("rate", 1)):
            with self.assertRaises(ValueError) as caught:
                kostka.transcode(jpeg, **{name: value})
            self.assertIn(name, str(caught.exception))

    def test_wrong(self):
        for options in ({"components": [2, 1]}, {"components": [-1]}, {"rate": -1}, {"reduce": 33}, {"packed": "x"}):
            self.assertRaises(ValueError, kostka.transcode, self.file, **options)
        for options in ({"components": 1}, {"components": []}, {"layers": "2"}, {"colour": 1}):
            self.assertRaises(TypeError, kostka.transcode, self.file, **options)


if __name__ == "__main__":
    unittest.main()
