# SPDX-License-Identifier: BSD-2-Clause
"""Checks that memory of large images is reused and released, and never exceeds the limit."""

import gc
import resource
import unittest

import kostka

SIDE = 4000  # 48 MB of RGB, which malloc() takes from the system each time


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


class Memory(unittest.TestCase):
    def setUp(self):
        self.pages = SIDE * SIDE * 3 // resource.getpagesize()
        self.data = kostka.encode(memoryview(bytes(SIDE * SIDE * 3)).cast("B", (SIDE, SIDE, 3)))
        self.context = kostka.Context("cpu", threads=1)

    def test_pages_are_used_again(self):
        """In a loop that assigns each image to one variable, from the third picture on."""
        image = self.context.decode(self.data)
        image = self.context.decode(self.data)
        before = faults()
        for _ in range(8):
            image = self.context.decode(self.data)
        self.assertLess(faults() - before, 2 * self.pages)
        self.assertEqual(image.shape, (SIDE, SIDE, 3))

    def test_what_is_in_use_is_not_used_again(self):
        images = [self.context.decode(self.data) for _ in range(3)]
        views = [memoryview(image) for image in images]
        addresses = {image.__array_interface__["data"][0] for image in images}
        self.assertEqual(len(addresses), 3)
        views[0][5, 5, 0] = 77
        del images
        gc.collect()
        self.context.decode(self.data)
        self.assertEqual((views[0][5, 5, 0], views[1][5, 5, 0]), (77, 0))

    def test_limit(self):
        context = kostka.Context("cpu", threads=1, limits={"memory": 1 << 24})
        with self.assertRaises(kostka.LimitError) as caught:
            context.decode(self.data)
        self.assertEqual(caught.exception.status, "ERROR_LIMIT_MEMORY")


if __name__ == "__main__":
    unittest.main()
