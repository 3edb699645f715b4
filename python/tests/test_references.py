# SPDX-License-Identifier: BSD-2-Clause
"""Nothing is kept too long, and nothing let go too early, on the way to an error as on any other."""

import gc
import io
import pathlib
import pickle
import sys
import tempfile
import tracemalloc
import unittest

import kostka
import pictures
from pictures import Cai, Dlpack

ROUNDS = 100


def settle():
    """Free what the interpreter keeps: cycles, and names of attributes that it looked up, such as those that pickle makes."""
    gc.collect()
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()


class References(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(40, 24)
        self.context = kostka.Context("cpu", threads=1)
        self.data = self.context.encode(self.array)
        self.context.decode(self.data)

    def check(self, call, raises=None, keep=()):
        """Repeat a call; neither memory nor references grow."""

        def once():
            if raises:
                self.assertRaises(raises, call)
            else:
                call()

        kept = [self.context, self.data, self.array, None, True, *keep]
        tracemalloc.start()
        for _ in range(ROUNDS):  # the interpreter's own stores fill up
            once()
        settle()
        before = [sys.getrefcount(item) for item in kept]
        grown = []
        for _ in range(3):  # what others let grow once does not count
            first = tracemalloc.get_traced_memory()[0]
            for _ in range(ROUNDS):
                once()
            settle()
            grown.append(tracemalloc.get_traced_memory()[0] - first)
        tracemalloc.stop()
        for item, count in zip(kept, before):
            self.assertLess(abs(sys.getrefcount(item) - count), 2 * ROUNDS)  # None's moves by itself
        self.assertLess(min(grown), ROUNDS * 16)

    def test_volumes(self):
        array = memoryview(bytearray(4 * 5 * 6)).cast("B", (4, 5, 6))
        data = self.context.encode_volume(array)
        small = memoryview(bytearray(8)).cast("B", (2, 2, 2))
        keep = (array, data, small)
        self.check(lambda: self.context.encode_volumes([array, array]), keep=keep)
        self.check(lambda: self.context.encode_volumes([array, b""]), ValueError, keep)
        self.check(lambda: self.context.decode_volume(data), keep=keep)
        self.check(lambda: self.context.encode_volume(self.context.decode_volume(data, memory="pinned")), keep=keep)
        self.check(lambda: self.context.decode_volume(data, out=array), keep=keep)
        self.check(lambda: self.context.decode_volume(data, out=small), ValueError, keep)
        self.check(lambda: self.context.decode_volumes([data, data], memory="pinned"), keep=keep)
        self.check(lambda: self.context.decode_volumes([data, b""], memory="pinned"), kostka.KostkaError, keep)
        self.check(lambda: self.context.decode_volumes([data, data], out=[array, small]), ValueError, keep)
        self.check(lambda: self.context.decode_volumes([data], out=[array, small]), ValueError, keep)
        self.check(lambda: self.context.describe_volume(data), keep=keep)
        self.check(lambda: self.context.describe_volume(b""), kostka.KostkaError, keep)

    def test_decode(self):
        self.check(lambda: self.context.decode(self.data))
        self.check(lambda: self.context.decode(self.data, format="planar").planes)
        self.check(lambda: self.context.decode(self.data, memory="pinned", region=(1, 2, 3, 4)))
        self.check(lambda: self.context.decode(self.data, out=self.array))
        self.check(lambda: self.context.decode_batch([self.data] * 3))
        self.check(lambda: self.context.decode_batch([self.data, b""], errors="return"))
        self.check(lambda: self.context.info(self.data))

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.jpg"
            kostka.save(path, self.array)
            image = self.context.decode(path)
            self.check(lambda: self.context.decode(path), keep=(path,))
            self.check(lambda: self.context.decode(io.BytesIO(self.data)))
            self.check(lambda: self.context.transcode(str(path), progressive=True))
            self.check(lambda: self.context.info(path), keep=(path,))
            self.check(lambda: kostka.save(path, image, device=self.context), keep=(path, image))
            self.check(lambda: self.context.decode(folder), IsADirectoryError)
            self.check(lambda: self.context.decode_batch([path, "none"]), FileNotFoundError, (path,))
            self.check(lambda: self.context.decode(io.StringIO("a")), TypeError)

    def test_images(self):
        image = self.context.decode(self.data)
        other = self.context.decode(self.data, format="planar")
        for call in (
            lambda: image[1:5, 2:9][1, 2],
            lambda: image[3, 4, 1],
            lambda: other[1][2:4, 3:5],
            lambda: other[0, 2:4],
            lambda: other[:, 3, 4],
            lambda: image == image[::-1],
            lambda: image == 3,
            lambda: image.copy(),
            lambda: pickle.loads(pickle.dumps(other, 5)),
            lambda: pickle.loads(pickle.dumps(image[1:3, 1:3])),
            lambda: (repr(image), image.dtype, image.depth, len(image)),
        ):
            self.check(call, keep=(image, other))
        for key in ("a", (1, 2, 3, 4), (99, 0), slice(3, 3), (0, slice(None)), (slice(None), slice(0, 4, 2))):
            self.check(lambda: image[key], (TypeError, IndexError, ValueError), (image, key))
        for parts in ((), ((40, 24, 8, "uint8", b"a"),), ((40, 24, 8, "uint9", b"a"),), (5,)):
            self.check(
                lambda: self.context._assemble("grey", "grey", 40, 24, parts, None), (ValueError, TypeError), (parts,)
            )

    def test_jpeg2000(self):
        options = {
            "rate": (1, 2),
            "poc": [("LRCP", (0, 2)), "RLCP"],
            "precincts": [(64, 64), 32],
            "component": [{"component": 0, "guard_bits": 3}],
            "style": ["bypass", "causal"],
            "codec": "j2k",
        }
        file = self.context.encode(self.array, **options)
        self.check(lambda: self.context.encode(self.array, **options), keep=options.values())
        self.check(lambda: self.context.decode(file, components=[0, 1], layers=1), keep=(file,))
        self.check(lambda: self.context.transcode(file, components=[0, 1, 2], plt=True), keep=(file,))
        self.check(lambda: self.context.transcode_batch([file, b"none"], components=[0, 1], errors="return"), keep=(file,))
        for wrong in (
            {"rate": (1, "a")},
            {"poc": [("LRCP", 3)]},
            {"precincts": [(1, 2, 3)]},
            {"component": [{"component": 0}, {"step": 2}]},
            {"component": [{"component": 0, "levels": "a"}]},
            {"style": ["bypass", "none"]},
            {"layers": 3},
            {"quality": 3},
            {"profile": "x"},
            {"wrong": 1},
            {"exif": b"a", "icc": 3},
        ):
            call = options | wrong
            self.check(lambda: self.context.encode(self.array, **call), (TypeError, ValueError), call.values())
        self.check(lambda: self.context.decode(file, components=[1, 0]), ValueError, (file,))
        self.check(lambda: self.context.transcode(file, components=[1, "0"]), TypeError, (file,))
        self.check(lambda: self.context.encode(self.array, tables=[[1] * 63]), ValueError)
        self.check(lambda: self.context.encode(self.array, subsampling=((1, 1), "a")), TypeError)

    def test_decode_errors(self):
        wrong = memoryview(bytearray(12)).cast("B", (2, 2, 3))
        self.check(lambda: self.context.decode(b"x"), kostka.KostkaError)
        self.check(lambda: self.context.info(b"x"), kostka.KostkaError)
        self.check(lambda: self.context.decode(self.data, out=wrong), ValueError, (wrong,))
        self.check(lambda: self.context.decode(self.data, out=object()), TypeError)
        self.check(lambda: self.context.decode(self.data, format="no"), ValueError)
        self.check(lambda: self.context.decode(self.data, region=(1, 2, 3, "4")), TypeError)
        self.check(lambda: self.context.decode(self.data, stream=1), kostka.KostkaError)
        self.check(lambda: self.context.decode_batch([self.data, b"x"]), kostka.KostkaError)
        self.check(lambda: self.context.decode_batch([self.data, 5]), TypeError)
        self.check(lambda: self.context.decode_batch([self.data] * 2, out=[self.array, wrong]), ValueError, (wrong,))
        self.check(lambda: self.context.decode_batch([self.data] * 2, out=[self.array]), ValueError)

    def test_encode(self):
        icc = b"profile" * 30
        self.check(lambda: self.context.encode(self.array))
        self.check(lambda: self.context.encode(self.array, icc=icc, comment=b"c", restart=("rows", 1)), keep=(icc,))
        self.check(lambda: self.context.encode_batch([self.array] * 3))
        self.check(lambda: self.context.encode_batch([self.array], quality=0, errors="return"))
        self.check(lambda: self.context.transcode(self.data, crop=(0, 0, 8, 8)))

    def test_encode_errors(self):
        icc = b"profile" * 30
        flat = bytearray(12)
        self.check(lambda: self.context.encode(self.array, icc=icc, quality=0), kostka.KostkaError, (icc,))
        self.check(lambda: self.context.encode(self.array, icc=icc, exif=5), TypeError, (icc,))
        self.check(lambda: self.context.encode(flat, icc=icc), ValueError, (icc, flat))
        self.check(lambda: self.context.encode_batch([self.array, flat]), ValueError, (flat,))
        self.check(lambda: self.context.encode_batch([self.array] * 2, quality=0), kostka.KostkaError)
        self.check(lambda: self.context.encode_batch([self.array], errors="no"), ValueError)
        self.check(lambda: self.context.encode(self.array, restart=("rows", 0)), ValueError)
        self.check(lambda: self.context.transcode(b"x"), kostka.KostkaError)
        self.check(lambda: self.context.transcode(self.data, crop=(0, 0, 0)), ValueError)

    def test_protocols(self):
        image = self.context.decode(self.data)
        kept = (image,)
        self.check(lambda: memoryview(image).tobytes(), keep=kept)
        self.check(lambda: image.__array_interface__, keep=kept)
        self.check(lambda: image.__dlpack__(), keep=kept)
        self.check(lambda: image.__dlpack__(max_version=(1, 0)), keep=kept)
        self.check(lambda: self.context.encode(Dlpack((1, 0), image.__dlpack__())), keep=kept)
        self.check(lambda: self.context.encode(image), keep=kept)
        self.check(lambda: image.__dlpack__(stream=5), BufferError, kept)
        self.check(lambda: image.__dlpack__(dl_device=(2, 1)), BufferError, kept)
        self.check(lambda: image.report, keep=kept)
        self.check(lambda: repr(image), keep=kept)

    def test_foreign_errors(self):
        for wrong in (
            Cai(),
            Cai(typestr="|f4"),
            Cai(shape=(1,)),
            Cai(stream="x"),
            Dlpack((1, 0), None),
            Dlpack((1, 0), ValueError()),
            Dlpack((9, 9), None),
            Dlpack((1,), None),
        ):
            self.check(lambda: self.context.decode(self.data, out=wrong), Exception, (wrong,))

    def test_contexts(self):
        def make():
            kostka.Context("cpu", threads=1, limits={"pixels": 5}).device

        self.check(make)
        self.check(lambda: kostka.Context("none"), kostka.KostkaError)
        self.check(lambda: kostka.Context("cpu", limits={"x": 1}), ValueError)
        self.check(lambda: kostka.Context("cpu", threads=1).decode(self.data, memory="pinned"))


if __name__ == "__main__":
    unittest.main()
