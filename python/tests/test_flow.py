# SPDX-License-Identifier: BSD-2-Clause
"""Flows give what single calls give, however their sources end, and hold nothing too long."""

import asyncio
import gc
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import kostka
import pictures

COUNT = 40


class Flows(unittest.TestCase):
    def setUp(self):
        arrays = [pictures.array(20 + 9 * i, 31 + i, seed=i) for i in range(6)]
        codecs = ("jpeg", "jp2", "jpeg")
        self.files = [kostka.encode(one, codec=codecs[i % 3], device="cpu") for i, one in enumerate(arrays)]
        self.wanted = [bytes(kostka.decode(one, device="cpu")) for one in self.files]

    def sources(self, count=COUNT):
        return (self.files[i % 6] for i in range(count))

    def test_images(self):
        for device in ["cpu"] + [one.name + ",cpu" for one in kostka.devices()[1:]]:
            with self.subTest(device=device):
                images = list(kostka.flow(self.sources(), devices=device))
                self.assertEqual([bytes(one) for one in images], [self.wanted[i % 6] for i in range(COUNT)])
                self.assertEqual({one.report.status for one in images}, {"OK"})

    def test_any_order(self):
        results = dict(kostka.flow(self.sources(), in_order=False, threads=3, devices="cpu"))
        self.assertEqual(sorted(results), list(range(COUNT)))
        for index, image in results.items():
            self.assertEqual(bytes(image), self.wanted[index % 6])

    def test_options(self):
        images = list(kostka.flow(self.sources(6), decode={"format": "planar", "reduce": 1}, devices="cpu"))
        for image, file in zip(images, self.files):
            self.assertEqual(bytes(image), bytes(kostka.decode(file, format="planar", reduce=1, device="cpu")))

    def test_convert(self):
        made = list(kostka.flow(self.sources(6), encode={"quality": 30, "comment": b"short"}, devices="cpu"))
        for file, one in zip(self.files, made):
            again = kostka.encode(kostka.decode(file, device="cpu"), quality=30, comment=b"short", device="cpu")
            self.assertEqual(one, again)

    def test_resize(self):
        for resize in ((24, 16), {"size": (24, 16), "filter": "lanczos", "fit": "cover"}):
            options = resize if isinstance(resize, dict) else {"size": resize}
            wanted = [kostka.resize(kostka.decode(file, device="cpu"), device="cpu", **options) for file in self.files]
            images = list(kostka.flow(self.files, resize=resize, devices="cpu"))
            self.assertEqual([bytes(one) for one in images], [bytes(one) for one in wanted])
            made = list(kostka.flow(self.files, resize=resize, encode={"quality": 90}, devices="cpu"))
            self.assertEqual(made, [kostka.encode(one, quality=90, device="cpu") for one in wanted])

    def test_keep(self):
        file = kostka.encode(pictures.array(30, 20), comment=b"kept", density=("inch", 72, 73), device="cpu")
        made = list(kostka.flow([file] * 3, encode={"codec": "jp2"}, keep=True, devices="cpu"))
        info = kostka.info(made[2])
        self.assertEqual([bytes(one.data) for one in info.metadata], [b"kept"])

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, file in enumerate(self.files):
                paths.append(pathlib.Path(folder, str(i)) if i % 2 else os.path.join(folder, str(i)))
                pathlib.Path(paths[i]).write_bytes(file)
            images = list(kostka.flow(paths, devices="cpu"))
        self.assertEqual([bytes(one) for one in images], self.wanted)

    def test_errors(self):
        sources = [self.files[0], b"no stream", "/nonexistent/file", self.files[1]]
        results = list(kostka.flow(sources, errors="return", devices="cpu"))
        self.assertEqual(bytes(results[0]), self.wanted[0])
        self.assertEqual([one.status for one in results[1:3]], ["ERROR_JPEG_SOI", "ERROR_READ"])
        self.assertIn("No such file", str(results[2]))
        self.assertEqual(bytes(results[3]), self.wanted[1])
        flow = kostka.flow(sources, devices="cpu")
        self.assertEqual(bytes(next(flow)), self.wanted[0])
        with self.assertRaises(kostka.StreamError) as caught:
            next(flow)
        self.assertEqual(caught.exception.index, 1)
        self.assertRaises(kostka.KostkaError, next, flow)
        self.assertEqual(bytes(next(flow)), self.wanted[1])
        self.assertRaises(StopIteration, next, flow)
        self.assertRaises(StopIteration, next, flow)
        self.assertEqual(flow.counts(), {"items": 4, "done": 4, "failed": 2, "moved": 0})

    def test_source_raises(self):
        def sources():
            yield self.files[0]
            yield self.files[1]
            raise ZeroDivisionError("in the source")

        flow = kostka.flow(sources(), devices="cpu")
        self.assertEqual(bytes(next(flow)), self.wanted[0])
        self.assertEqual(bytes(next(flow)), self.wanted[1])
        self.assertRaisesRegex(ZeroDivisionError, "in the source", next, flow)
        self.assertRaises(StopIteration, next, flow)

    def test_wrong_source(self):
        flow = kostka.flow([self.files[0], 7], devices="cpu")
        self.assertEqual(bytes(next(flow)), self.wanted[0])
        self.assertRaisesRegex(TypeError, "holds no stream", next, flow)

    def test_wrong_arguments(self):
        for error, text, options in (
            (TypeError, "encode is a dict", {"encode": 5}),
            (TypeError, "decode is a dict", {"decode": "grey"}),
            (ValueError, "no out and no stream", {"decode": {"out": bytearray(4)}}),
            (ValueError, "no out and no stream", {"decode": {"stream": 1}}),
            (ValueError, "no stream, format or depth", {"encode": {"format": "bgr"}}),
            (ValueError, "keep is for", {"keep": True}),
            (ValueError, "memory is", {"memory": 0}),
            (ValueError, "memory is for images", {"encode": {}, "decode": {"memory": "device"}}),
            (TypeError, "colour", {"decode": {"colour": 1}}),
            (TypeError, "needs a size", {"resize": {"filter": "box"}}),
            (ValueError, "no format here", {"resize": {"size": (3, 3), "format": "bgr"}}),
            (ValueError, "errors", {"errors": "drop"}),
            (kostka.KostkaError, "device", {"devices": "cpu,cpu"}),
            (kostka.KostkaError, "device", {"devices": "nothing"}),
        ):
            with self.subTest(options=options), self.assertRaisesRegex(error, text):
                kostka.flow(self.files, **options)
        self.assertRaises(TypeError, kostka.flow, 5)
        self.assertRaises(TypeError, kostka.flow)

    def test_dropped(self):
        def endless():
            while True:
                yield self.files[0]

        for taken in (0, 1, 5):
            flow = kostka.flow(endless(), devices="cpu")
            for _ in range(taken):
                next(flow)
            del flow
            gc.collect()
        with kostka.flow(endless(), devices="cpu") as flow:
            next(flow)
        self.assertRaises(StopIteration, next, flow)

    def test_images_outlive_the_flow(self):
        image = next(kostka.flow(self.sources(), devices="cpu"))
        gc.collect()
        self.assertEqual(bytes(image), self.wanted[0])

    def test_references(self):
        file = bytes(self.files[0])
        before = sys.getrefcount(file)
        for _ in range(5):
            list(kostka.flow([file] * 10, devices="cpu"))
            list(kostka.flow([file] * 10, encode={}, devices="cpu"))
            next(kostka.flow([file] * 10, devices="cpu"))
        gc.collect()
        self.assertEqual(sys.getrefcount(file), before)

    def test_asynchronous(self):
        async def collect():
            return [bytes(image) async for image in kostka.flow(self.sources(), devices="cpu")]

        self.assertEqual(asyncio.run(collect()), [self.wanted[i % 6] for i in range(COUNT)])

    def test_one_waits(self):
        """A second thread that asks for a result gets an error, or the result that comes next; nothing hangs."""
        flow = kostka.flow(self.sources(300), devices="cpu", errors="return")
        count = []

        def drain():
            while True:
                try:
                    next(flow)
                    count.append(1)
                except RuntimeError:
                    continue
                except StopIteration:
                    return

        threads = [threading.Thread(target=drain) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(count), 300)

    def test_fork(self):
        flow = kostka.flow(self.sources(), devices="cpu")
        next(flow)
        child = os.fork()
        if child == 0:
            try:
                next(flow)
            except RuntimeError:
                os._exit(0)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(list(flow)), COUNT - 1)


if __name__ == "__main__":
    unittest.main()
