# SPDX-License-Identifier: BSD-2-Clause
"""Processes that fork, as data loaders do, and many threads at once. A child that hangs is an error, not a hanging test."""

import multiprocessing
import os
import signal
import threading
import time
import unittest

import kostka
import pictures

PATIENCE = 240  # seconds: of what hangs, on a machine however busy


def decode(data):
    """In a worker: the image comes back pickled."""
    return os.getpid(), kostka.decode(data)


def fail(data):
    return kostka.decode(data[:2])


def wait_for(child):
    """The exit code of a child process, which is ended where it hangs."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


class Processes(unittest.TestCase):
    def setUp(self):
        self.files = [kostka.encode(pictures.array(160, 128, seed=i)) for i in range(6)]
        self.images = [kostka.decode(file) for file in self.files]  # threads are running from here on

    def test_pools(self):
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                answers = pool.map_async(decode, self.files * 2).get(PATIENCE)
                self.assertEqual([image for _, image in answers], self.images * 2)
                self.assertNotIn(os.getpid(), [process for process, _ in answers])
                with self.assertRaises(kostka.KostkaError) as caught:
                    pool.apply_async(fail, self.files[:1]).get(PATIENCE)
                self.assertIsNotNone(caught.exception.status)

    def test_fork_while_threads_work(self):
        """Locks that other threads hold at the moment of fork() are not waited for in the child."""
        stop = threading.Event()

        def work():
            while not stop.is_set():
                kostka.decode_batch(self.files)
                kostka.Context("cpu", threads=2).decode(self.files[0])

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    same = kostka.decode_batch(self.files) == self.images
                    self.images.clear()  # the parent's memory
                    os._exit(0 if same else 1)
                self.assertEqual(wait_for(child), 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_grandchildren(self):
        child = os.fork()
        if child == 0:
            kostka.decode(self.files[0])
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0 if kostka.decode(self.files[1]) == self.images[1] else 1)
            os._exit(0 if wait_for(grandchild) == 0 else 1)
        self.assertEqual(wait_for(child), 0)

    def test_parents_images_in_a_child(self):
        """They can be read, cut, copied and encoded there."""
        child = os.fork()
        if child == 0:
            image = self.images[0]
            fine = image.copy() == image and image[5:9].copy() == image[5:9]
            fine = fine and kostka.decode(kostka.encode(image)).shape == image.shape
            os._exit(0 if fine else 1)
        self.assertEqual(wait_for(child), 0)


class Threads(unittest.TestCase):
    def test_many(self):
        """Every function from many threads, with one context and images that are shared."""
        arrays = [pictures.array(90 + i, 70, seed=i) for i in range(4)]
        files = [kostka.encode(array) for array in arrays]
        images = [kostka.decode(file) for file in files]
        wrong = []

        def work(index):
            for turn in range(15):
                i = (index + turn) % 4
                fine = kostka.decode(files[i]) == images[i] and kostka.encode(arrays[i]) == files[i]
                fine = fine and images[i][3:30].copy() == images[i][3:30]
                fine = fine and kostka.decode_batch(files) == images
                fine = fine and kostka.decode(kostka.transcode(files[i], progressive=True)) == images[i]
                fine = fine and images[i].report.status == "OK" and kostka.info(files[i]).width == 90 + i
                if not fine:
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_one_context(self):
        """The functions share one context of each device, whichever thread comes first."""
        data = kostka.encode(pictures.array(40, 30))
        found = []
        barrier = threading.Barrier(8)
        kostka._contexts.clear()

        def work():
            barrier.wait()
            found.append(kostka.decode(data, device="cpu").context)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({id(context) for context in found}), 1)


if __name__ == "__main__":
    unittest.main()
