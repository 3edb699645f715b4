# SPDX-License-Identifier: BSD-2-Clause
"""JPEG 2000: two pictures of 12 by 9 pixels, losslessly coded."""

import base64
import unittest

import kostka

WIDTH, HEIGHT = 12, 9

# One component of 12 bits, a codestream; three of 8 bits, a JP2 file.
GREY = base64.b64decode(
    "/0//UQApAAAAAAAMAAAACQAAAAAAAAAAAAAADAAAAAkAAAAAAAAAAAABCwEB/1IADAAAAAEAAgQEAAH/XAAKQGBoaHBoaHD/ZAAl"
    "AAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAABRAAH/k9/gOAaXBXxZtWkV6m7ECVZgw/YHgfgCQfsB"
    "gBVSBbNNBx8UHP9/FBe/z/AXD9gOP8AYTMimecCfRlK3PxsuuN8uuT3/2Q=="
)
COLOUR = base64.b64decode(
    "AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAACQAAAAwAAwcHAAAAAAAPY29scgEAAAAA"
    "ABAAAAFfanAyY/9P/1EALwAAAAAADAAAAAkAAAAAAAAAAAAAAAwAAAAJAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAQIEBAAB"
    "/1wACkBASEhQSEhQ/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAAA4QAB/5PPtCQJOndgvKRL"
    "SIzfgEga6Pnz6AjYl1zH1BAI5yq0vdApx8faEQPkCQPnCBrdbkL6ryx/FKcrfxSGDfLfmFQ+oFj8AYAaB08SxDJsOUAnFIYPue8U"
    "CVybw0vfmDwPkBw+0FAaexCo3xmuFBNxFBoLBq/H2iMPqBYfaCgrnNttXL418SMUObcjMJ7/fy33TIETLUGrDCffmGx9oNH4AoAs"
    "S2d+pE6RDoIKiSV/KJ+sOyG/Lf9rn7ffmFR9oLH4AgAsSfmZXmWK/yvPLVwP/w8t7cbX/9k="
)


class Jpeg2000(unittest.TestCase):
    def test_info(self):
        info = kostka.info(GREY)
        self.assertEqual((info.codec, info.process, info.width, info.height), ("jpeg2000", "none", WIDTH, HEIGHT))
        self.assertEqual([component.depth for component in info.components], [12])
        self.assertEqual(
            info.jpeg2000,
            {
                "tile": (WIDTH, HEIGHT),
                "tiles": 1,
                "layers": 1,
                "levels": 2,
                "progression": "LRCP",
                "reversible": True,
                "alpha": False,
                "jp2": False,
                "code_points": None,
            },
        )
        info = kostka.info(COLOUR)
        self.assertEqual((len(info.components), info.jpeg2000["jp2"]), (3, True))

    def test_decode(self):
        grey = memoryview(kostka.decode(GREY))
        self.assertEqual((grey.format, grey.shape), ("H", (HEIGHT, WIDTH)))
        self.assertEqual(grey.tolist(), [[(x * 300 + y * 111) % 4096 for x in range(WIDTH)] for y in range(HEIGHT)])
        colour = kostka.decode_batch([COLOUR, COLOUR])[1]
        self.assertEqual((colour.format, colour.shape), ("rgb", (HEIGHT, WIDTH, 3)))
        wanted = bytes((x * 20 + y * 3 + c * 40) % 256 for y in range(HEIGHT) for x in range(WIDTH) for c in range(3))
        self.assertEqual(bytes(colour), wanted)

    def test_options(self):
        self.assertEqual(kostka.decode(COLOUR, reduce=1).shape, (5, 6, 3))
        self.assertEqual(kostka.decode(COLOUR, region=(3, 2, 4, 5), layers=1).shape, (5, 4, 3))
        image = kostka.decode(GREY, dtype="float32", scale=1)
        self.assertEqual(memoryview(image).tolist()[1][2], 711.0)
        image = kostka.decode(COLOUR, dtype="float32", layout="CHW", mean=1, scale=(1, 2, 4))
        self.assertEqual([memoryview(image)[c, 0, 0] for c in range(3)], [-1.0, 78.0, 316.0])

    def test_limits(self):
        kostka.Context("cpu", limits={"layers": 1, "blocks": 10000, "work": 2**16, "tile_parts": 1}).decode(COLOUR)
        for name, status in (("blocks", "BLOCKS"), ("components", "COMPONENTS"), ("precincts", "PRECINCTS")):
            with self.assertRaises(kostka.KostkaError) as caught:
                kostka.Context("cpu", limits={name: 1}).decode(COLOUR)
            self.assertEqual(caught.exception.status, "ERROR_LIMIT_" + status)
        for name in ("components", "tiles", "precincts", "boxes", "tile_parts", "layers", "blocks", "work"):
            self.assertRaises(ValueError, kostka.Context, "cpu", limits={name: 2**32})

    def test_refused(self):
        for call in (kostka.transcode, kostka.info):
            with self.assertRaises(kostka.KostkaError):
                call(GREY[:40])
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode(GREY, reduce=32)
        self.assertEqual(caught.exception.status, "ERROR_J2K_REDUCE")


if __name__ == "__main__":
    unittest.main()
