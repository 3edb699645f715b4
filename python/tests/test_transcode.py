# SPDX-License-Identifier: BSD-2-Clause
"""Transcoding: its options, and what it keeps."""

import unittest

import kostka
import pictures


class Transcode(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(64, 48), comment=b"kept")

    def test_pixels_stay(self):
        wanted = bytes(kostka.decode(self.data))
        for options in (
            {"coding": "progressive"},
            {"coding": "optimized"},
            {"restart": "auto"},
            {"restart": 2},
            {"restart": "keep"},
            {"strip": "all"},
        ):
            self.assertEqual(bytes(kostka.decode(kostka.transcode(self.data, **options))), wanted)

    def test_transforms(self):
        info = kostka.info(kostka.transcode(self.data, transform="rotate_90"))
        self.assertEqual((info.width, info.height), (48, 64))
        there = kostka.transcode(self.data, transform="flip_h")
        self.assertEqual(kostka.transcode(there, transform="flip_h"), kostka.transcode(self.data))

    def test_crop_grey_strip(self):
        info = kostka.info(kostka.transcode(self.data, crop=(16, 16, 20, 10)))
        self.assertEqual((info.width, info.height), (20, 10))
        self.assertEqual(len(kostka.info(kostka.transcode(self.data, grey=True)).components), 1)
        self.assertEqual(len(kostka.info(self.data).metadata), 1)
        self.assertEqual(kostka.info(kostka.transcode(self.data, strip="all")).metadata, ())

    def test_others(self):
        there = kostka.transcode(self.data, transform="rotate_90")
        both = kostka.transcode(self.data + self.data + b"more", transform="rotate_90")
        self.assertEqual(both, there + there + b"more")
        self.assertEqual(kostka.transcode(self.data + self.data, others="drop"), kostka.transcode(self.data))
        self.assertRaises(ValueError, kostka.transcode, self.data, others="some")

    def test_errors(self):
        odd = kostka.encode(pictures.array(61, 45))
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.transcode(odd, transform="rotate_180", edge="perfect")
        self.assertEqual(caught.exception.status, "ERROR_JPEG_NOT_PERFECT")
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.transcode(self.data, crop=(0, 0, 1000, 1000))
        self.assertEqual(caught.exception.status, "ERROR_REGION")
        self.assertRaises(kostka.KostkaError, kostka.transcode, b"")
        self.assertRaises(kostka.KostkaError, kostka.transcode, self.data[:-200], strict=True)
        for wrong in ({"transform": "turn"}, {"crop": (1, 2)}, {"restart": "never"}, {"edge": ""}, {"coding": "raw"}):
            self.assertRaises(ValueError, kostka.transcode, self.data, **wrong)

    def test_batch(self):
        jp2 = kostka.encode(pictures.array(40, 30), codec="jp2")
        streams = [self.data, jp2, kostka.encode(pictures.array(33, 21, seed=1))]
        made = kostka.transcode_batch(streams, strip="all")
        self.assertEqual(made, [kostka.transcode(one, strip="all") for one in streams])
        self.assertEqual(kostka.transcode_batch(iter([jp2] * 2), ht=True), [kostka.transcode(jp2, ht=True)] * 2)
        self.assertEqual(kostka.transcode_batch([]), [])
        made = kostka.transcode_batch([self.data, b"none", self.data], errors="return")
        self.assertEqual(made[::2], [kostka.transcode(self.data)] * 2)
        self.assertEqual((type(made[1]), made[1].status), (kostka.StreamError, "ERROR_JPEG_SOI"))
        with self.assertRaises(kostka.StreamError) as caught:
            kostka.transcode_batch([self.data, b"none"])
        self.assertEqual(caught.exception.index, 1)
        with self.assertRaises(ValueError) as caught:
            kostka.transcode_batch([self.data, jp2], progressive=True)
        self.assertEqual(caught.exception.index, 1)
        with self.assertRaises(OSError) as caught:
            kostka.transcode_batch([self.data, "/nonexistent"], errors="return")
        self.assertEqual(caught.exception.index, 1)
        self.assertRaises(TypeError, kostka.transcode_batch, self.data)
        self.assertRaises(ValueError, kostka.transcode_batch, [self.data], errors="drop")
        self.assertRaises(TypeError, kostka.transcode, self.data, errors="return")
        with self.assertRaises(OSError) as caught:
            kostka.transcode("/nonexistent")
        self.assertFalse(hasattr(caught.exception, "index"))


if __name__ == "__main__":
    unittest.main()
