# SPDX-License-Identifier: BSD-2-Clause
"""Contexts: devices, limits, threads, and what a closed one refuses."""

import os
import threading
import unittest

import kostka
import pictures


class Contexts(unittest.TestCase):
    def setUp(self):
        self.array = pictures.array(96, 64)
        self.data = kostka.encode(self.array)

    def test_devices(self):
        devices = kostka.devices()
        self.assertEqual((devices[0].name, devices[0].kind, devices[0].memory), ("cpu", "cpu", 0))
        self.assertGreater(devices[0].units, 0)

    def test_own_context(self):
        with kostka.Context("cpu", threads=2, cpu="c") as context:
            self.assertEqual((context.device.name, context.device.tier), ("cpu", "c"))
            self.assertEqual(bytes(context.decode(self.data)), bytes(kostka.decode(self.data)))
            self.assertEqual(context.encode(self.array), self.data)
            self.assertEqual(context.info(self.data), kostka.info(self.data))
            self.assertEqual(bytes(kostka.decode(self.data, device=context)), bytes(context.decode(self.data)))
            self.assertFalse(context.closed)
        self.assertTrue(context.closed)

    def test_closed(self):
        context = kostka.Context("cpu")
        image = context.decode(self.data)
        before = bytes(image)
        context.close()
        context.close()
        for call in (context.decode, context.info, context.transcode):
            self.assertRaises(ValueError, call, self.data)
        self.assertRaises(ValueError, context.encode, self.array)
        self.assertRaises(ValueError, context.encode_batch, [self.array], icc=b"x")
        self.assertRaises(ValueError, context.decode_batch, [self.data])
        self.assertRaises(ValueError, context.__enter__)
        with self.assertRaises(ValueError):
            context.device
        self.assertEqual(bytes(image), before)
        self.assertEqual(kostka.encode(image, device="cpu"), kostka.encode(memoryview(image), device="cpu"))

    def test_wrong(self):
        for name, status in (("teapot", "ERROR_DEVICE_NAME"), ("cuda:99", "ERROR_DEVICE_MISSING")):
            with self.assertRaises(kostka.KostkaError) as caught:
                kostka.Context(name)
            self.assertEqual(caught.exception.status, status)
            self.assertRaises(kostka.KostkaError, kostka.decode, self.data, device=name)
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.Context("cpu", cpu="z80")
        self.assertEqual(caught.exception.status, "ERROR_CPU_TIER")
        self.assertRaises(OverflowError, kostka.Context, "cpu", threads=-1)
        self.assertRaises(ValueError, kostka.Context, "cpu", threads=100000)
        self.assertRaises(TypeError, kostka.Context, 7)
        self.assertRaises(TypeError, kostka.Context, "cpu", threads="two")

    def test_limits(self):
        context = kostka.Context("cpu", limits={"pixels": 1000})
        with self.assertRaises(kostka.KostkaError) as caught:
            context.decode(self.data)
        self.assertEqual(caught.exception.status, "ERROR_LIMIT_PIXELS")
        for wrong in ({"pixel": 1}, {"scans": 2**40}, {"pixels": -1}, {"pixels": "many"}, {"a": 1, "pixels": 1}):
            self.assertRaises((ValueError, OverflowError, TypeError), kostka.Context, "cpu", limits=wrong)
        self.assertRaises(TypeError, kostka.Context, "cpu", limits=[1])

    def test_threads(self):
        wanted = bytes(kostka.decode(self.data))
        wrong = []

        def work():
            for _ in range(20):
                if bytes(kostka.decode(self.data)) != wanted or kostka.encode(self.array) != self.data:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_close_while_in_use(self):
        """Calls under way end well, later ones are refused."""
        context = kostka.Context("cpu", threads=2)
        begun = threading.Event()
        results = []

        def work():
            try:
                while True:
                    results.append(context.decode(self.data).shape)
                    begun.set()
            except ValueError:
                results.append("closed")

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        context.close()
        thread.join()
        self.assertEqual(results[-1], "closed")

    def test_fork(self):
        context = kostka.Context("cpu", threads=2)
        image = context.decode(self.data)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            answer = "?"
            try:
                context.decode(self.data)
            except RuntimeError as error:
                answer = "refused " if "fork" in str(error) else "other "
            answer += "same" if bytes(kostka.decode(self.data)) == bytes(image) else "different"
            del image, context
            os.write(write, answer.encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        self.assertEqual(os.read(read, 100), b"refused same")
        os.close(read)

    def test_image_keeps_the_context(self):
        context = kostka.Context("cpu")
        image = context.decode(self.data, memory="pinned")
        self.assertIs(image.context, context)
        context.close()
        del context
        self.assertEqual(bytes(image), bytes(kostka.decode(self.data)))


if __name__ == "__main__":
    unittest.main()
