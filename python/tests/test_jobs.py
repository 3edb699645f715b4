# SPDX-License-Identifier: BSD-2-Clause
"""Decoding that is submitted and waited for later."""

import gc
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 70, 50


class Jobs(unittest.TestCase):
    def setUp(self):
        self.files = [kostka.encode(pictures.array(WIDTH, HEIGHT, seed=i), device="cpu") for i in range(5)]
        self.wanted = [bytes(kostka.decode(file, device="cpu")) for file in self.files]

    def devices(self):
        return [device.name for device in kostka.devices()]

    def test_wait(self):
        for device in self.devices():
            with self.subTest(device=device):
                job = kostka.submit(self.files, device=device)
                images = job.wait()
                self.assertTrue(job.done())
                self.assertEqual([bytes(image) for image in images], self.wanted)
                self.assertIs(job.wait(), images)
                self.assertEqual({image.report.status for image in images}, {"OK"})

    def test_out(self):
        for device in self.devices():
            room = [bytearray(len(wanted)) for wanted in self.wanted]
            arrays = [memoryview(one).cast("B", (HEIGHT, WIDTH, 3)) for one in room]
            job = kostka.submit(self.files, device=device, out=arrays)
            del arrays
            self.assertRaises(BufferError, room[0].clear)  # it is held
            self.assertEqual(len(job.wait()), 5)
            self.assertEqual([bytes(one) for one in room], self.wanted)

    def test_many_at_once(self):
        for device in self.devices():
            jobs = [kostka.submit(self.files, device=device) for _ in range(4)]
            for job in reversed(jobs):
                self.assertEqual([bytes(image) for image in job.wait()], self.wanted)

    def test_dropped(self):
        room = bytearray(len(self.wanted[0]))
        for device in self.devices():
            kostka.submit(self.files[:1], device=device, out=[memoryview(room).cast("B", (HEIGHT, WIDTH, 3))])
            gc.collect()
            self.assertEqual(bytes(room), self.wanted[0])
            room[:] = bytes(len(room))  # no longer held

    def test_context_that_is_closed(self):
        context = kostka.Context("cpu")
        job = context.submit(self.files)
        context.close()
        self.assertEqual([bytes(image) for image in job.wait()], self.wanted)
        self.assertRaises(ValueError, context.submit, self.files)

    def test_nothing(self):
        self.assertEqual(kostka.submit([]).wait(), [])

    def test_errors(self):
        files = [self.files[0], b"no picture", self.files[1]]
        job = kostka.submit(files, errors="return")
        first, error, last = job.wait()
        self.assertEqual((error.status, error.offset), ("ERROR_JPEG_SOI", 0))
        self.assertEqual([bytes(first), bytes(last)], self.wanted[:2])
        job = kostka.submit(files)
        with self.assertRaises(kostka.KostkaError) as caught:
            job.wait()
        self.assertEqual(caught.exception.index, 1)
        self.assertRaises(RuntimeError, job.wait)
        self.assertTrue(job.done())

    def test_misuse(self):
        self.assertRaises(TypeError, kostka.Job)
        self.assertRaises(TypeError, kostka.submit, self.files[0])
        self.assertRaises(ValueError, kostka.submit, self.files, out=[])
        self.assertRaises(TypeError, kostka.submit, self.files, stream="none")
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.submit(self.files, device="cpu", stream=1)
        self.assertEqual(caught.exception.status, "ERROR_DEVICE_STREAM")


if __name__ == "__main__":
    unittest.main()
