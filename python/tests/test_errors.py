# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions: which, and what they say."""

import pickle
import unittest

import kostka
import pictures


class Errors(unittest.TestCase):
    def setUp(self):
        self.data = kostka.encode(pictures.array(64, 48))

    def test_kinds(self):
        deep = memoryview(bytes(64)).cast("H", (4, 8))
        wrong = bytearray(kostka.encode(deep, codec="j2k"))
        wrong[4:6] = b"\0\1"  # the length of SIZ
        for kind, status, call in (
            (kostka.StreamError, "ERROR_EMPTY", lambda: kostka.decode(b"")),
            (kostka.StreamError, "ERROR_JPEG_NO_FRAME", lambda: kostka.decode(b"\xff\xd8\xff\xd9")),
            (kostka.StreamError, "ERROR_J2K_LENGTH", lambda: kostka.info(wrong)),
            (kostka.StreamError, "WARNING_JPEG_NO_EOI", lambda: kostka.decode(self.data[:-100], strict=True)),
            (kostka.OptionError, "ERROR_JPEG_QUALITY", lambda: kostka.encode(pictures.array(8, 8), quality=0)),
            (kostka.OptionError, "ERROR_REGION", lambda: kostka.decode(self.data, region=(60, 0, 9, 9))),
            (kostka.OptionError, "ERROR_OPTIONS", lambda: kostka.decode(self.data, reduce=4)),
            (kostka.OptionError, "ERROR_OPTIONS", lambda: kostka.decode(self.data, layers=1)),
            (kostka.OptionError, "ERROR_OPTIONS", lambda: kostka.decode(self.data, components=[0])),
            (kostka.OptionError, "ERROR_OPTIONS", lambda: kostka.decode(self.data, tile=0)),
            (kostka.OptionError, "ERROR_J2K_PROFILE", lambda: kostka.encode(deep, codec="j2k", profile="cinema2k")),
            (
                kostka.OptionError,
                "ERROR_J2K_PROGRESSION",
                lambda: kostka.encode(deep, codec="j2k", poc=[("LRCP", (0, 2))]),
            ),
            (
                kostka.LimitError,
                "ERROR_LIMIT_PIXELS",
                lambda: kostka.Context("cpu", limits={"pixels": 9}).info(self.data),
            ),
            (kostka.DeviceError, "ERROR_DEVICE_NAME", lambda: kostka.Context("teapot")),
        ):
            with self.subTest(status=status):
                with self.assertRaises(kostka.KostkaError) as caught:
                    call()
                error = caught.exception
                self.assertEqual((type(error), error.status), (kind, status))
                self.assertEqual(isinstance(error, ValueError), kind is kostka.OptionError)
                copy = pickle.loads(pickle.dumps(error))
                self.assertEqual((type(copy), copy.status, str(copy)), (kind, status, str(error)))

    def test_offsets(self):
        wrong = bytearray(self.data)
        at = wrong.index(b"\xff\xc4") + 4
        wrong[at + 1] = 255  # that many codes of one bit
        with self.assertRaises(kostka.StreamError) as caught:
            kostka.decode(wrong)
        self.assertTrue(at - 4 <= caught.exception.offset <= at + 20, caught.exception.offset)
        self.assertEqual(caught.exception.report.offset, caught.exception.offset)
        self.assertIsNone(caught.exception.index)

    def test_index(self):
        for call in (kostka.decode_batch, lambda data: kostka.submit(data).wait()):
            with self.assertRaises(kostka.StreamError) as caught:
                call([self.data, b"none", self.data])
            self.assertEqual(caught.exception.index, 1)
        with self.assertRaises(TypeError) as caught:
            kostka.encode_batch([pictures.array(8, 8), 3])
        self.assertEqual(caught.exception.index, 1)

    def test_options_are_named(self):
        for name in ("layers", "components", "tile"):
            with self.assertRaises(kostka.OptionError) as caught:
                kostka.decode(self.data, **{name: [1] if name == "components" else 1})
            self.assertIn(name, str(caught.exception))
            results = kostka.decode_batch([self.data], errors="return", **{name: [1] if name == "components" else 1})
            self.assertIn(name, str(results[0]))


if __name__ == "__main__":
    unittest.main()
