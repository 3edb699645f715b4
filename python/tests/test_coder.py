# SPDX-License-Identifier: BSD-2-Clause
"""Coders give what the functions give, here, in other processes, and in workers of Dask, even if one is killed."""

import concurrent.futures
import importlib.util
import io
import multiprocessing
import os
import pickle
import signal
import tempfile
import unittest
import unittest.mock

import kostka
import pictures

OPTIONS = {"encode": {"codec": "jp2", "levels": 2}, "device": "cpu"}


def kill_once(coder, files, mark):
    """Code some files, in a process that kills itself before it does so the first time."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return coder(files)
    os.kill(os.getpid(), signal.SIGKILL)


class Coders(unittest.TestCase):
    def setUp(self):
        self.files = [kostka.encode(pictures.array(30 + i, 20, seed=i), device="cpu") for i in range(12)]
        self.wanted = [kostka.encode(kostka.decode(one, device="cpu"), codec="jp2", levels=2, device="cpu") for one in self.files]

    def test_here(self):
        self.assertEqual(kostka.Coder(**OPTIONS)(self.files), self.wanted)
        images = kostka.Coder(decode={"format": "grey"}, device="cpu")(iter(self.files))
        self.assertEqual(
            [bytes(one) for one in images], [bytes(kostka.decode(one, format="grey", device="cpu")) for one in self.files]
        )
        turned = kostka.Coder(transcode={"transform": "rotate_90", "edge": "trim"}, device="cpu")(self.files[:1])
        self.assertEqual(turned, [kostka.transcode(self.files[0], transform="rotate_90", edge="trim", device="cpu")])
        self.assertEqual(kostka.Coder(**OPTIONS)([]), [])

    def test_errors(self):
        sources = [self.files[0], b"none", self.files[1]]
        for options in (OPTIONS, {"transcode": {}, "device": "cpu"}):
            results = kostka.Coder(**options)(sources)
            self.assertIsInstance(results[1], kostka.StreamError)
            self.assertEqual([type(one) for one in results[::2]], [bytes, bytes])
            self.assertRaises(kostka.StreamError, kostka.Coder(errors="raise", **options), sources)
        error = pickle.loads(pickle.dumps(kostka.Coder(**OPTIONS)([b"none"])[0]))
        self.assertEqual((type(error), error.status), (kostka.StreamError, "ERROR_JPEG_SOI"))

    def test_no_room(self):
        """A picture that finds no room in the device's memory goes through the host's; a file is read only once."""
        decode_batch, asked = kostka.decode_batch, []

        def without_room(sources, memory=None, **options):
            asked.append((len(sources), memory))
            made = decode_batch(sources, **options)
            return [kostka.DeviceError("no room") if memory == "device" and i == 1 else one for i, one in enumerate(made)]

        with unittest.mock.patch.object(kostka, "decode_batch", without_room):
            self.assertEqual(kostka.Coder(**OPTIONS)(self.files), self.wanted)
            self.assertEqual(asked, [(12, "device"), (1, None)])
            result = kostka.Coder(**OPTIONS)([self.files[0], io.BytesIO(self.files[1])])[1]
            self.assertIsInstance(result, kostka.DeviceError)
            with self.assertRaises(kostka.DeviceError) as caught:
                kostka.Coder(decode={"memory": "device"}, errors="raise", **OPTIONS)(self.files)
            self.assertEqual(caught.exception.index, 1)

    def test_wrong_arguments(self):
        for error, options in (
            (ValueError, {"transcode": {}, "encode": {}}),
            (ValueError, {"errors": "drop"}),
            (TypeError, {"encode": 90}),
            (TypeError, {"device": kostka.Context("cpu")}),
        ):
            with self.subTest(options=options):
                self.assertRaises(error, kostka.Coder, **options)
        self.assertRaises(TypeError, kostka.Coder(encode={"qualty": 3}, device="cpu"), self.files)

    def test_processes(self):
        for method in ("spawn", "fork", "forkserver"):
            with self.subTest(method=method):
                context = multiprocessing.get_context(method)
                with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                    parts = list(pool.map(kostka.Coder(**OPTIONS), [self.files[i : i + 3] for i in range(0, 12, 3)]))
                self.assertEqual(sum(parts, []), self.wanted)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
    def test_columns(self):
        import kostka.ray
        import numpy

        batch = {"bytes": numpy.array(self.files[:2] + [b"none"], dtype=object), "path": numpy.array(["a", "b", "c"])}
        made = kostka.ray.Coder(**OPTIONS)(batch)
        self.assertEqual(list(made), ["path", "bytes", "error"])
        self.assertEqual(list(made["bytes"]), self.wanted[:2] + [None])
        self.assertEqual([text is None for text in made["error"]], [True, True, False])
        self.assertEqual(list(made["path"]), ["a", "b", "c"])
        images = kostka.ray.Coder(device="cpu")(batch)["image"]
        self.assertTrue(numpy.array_equal(images[1], numpy.asarray(kostka.decode(self.files[1], device="cpu"))))


@unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask's distributed is not installed")
class Dask(unittest.TestCase):
    def test_workers(self):
        """One of two workers is killed half-way: all items come, once each."""
        from distributed import Client, LocalCluster

        files = [kostka.encode(pictures.array(40 + i, 30, seed=i), device="cpu") for i in range(24)]
        coder = kostka.Coder(**OPTIONS)
        with tempfile.TemporaryDirectory() as folder, LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=folder
        ) as cluster, Client(cluster) as client:
            parts = [files[i : i + 3] for i in range(0, 24, 3)]
            mark = os.path.join(folder, "killed")
            futures = [client.submit(kill_once, coder, part, mark, retries=2) for part in parts]
            results = sum(client.gather(futures), [])
            self.assertTrue(os.path.exists(mark))
        self.assertEqual(results, coder(files))


if __name__ == "__main__":
    unittest.main()
