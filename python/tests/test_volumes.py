# SPDX-License-Identifier: BSD-2-Clause
"""Volumes: arrays of three dimensions come back, parts are parts, and what does not go is refused by name."""

import random
import unittest

import kostka

DEPTH, HEIGHT, WIDTH = 6, 9, 11


def volume(letter="h", low=-3000, high=3000):
    numbers = random.Random(5)
    flat = memoryview(bytearray(DEPTH * HEIGHT * WIDTH * {"b": 1, "h": 2, "i": 4}[letter.lower()]))
    array = flat.cast(letter)
    for i in range(len(array)):
        array[i] = numbers.randint(low, high)
    return flat.cast(letter, (DEPTH, HEIGHT, WIDTH))


class Volumes(unittest.TestCase):
    def test_all_types(self):
        for letter, low, high in (
            ("B", 0, 255),
            ("b", -128, 127),
            ("H", 0, 65535),
            ("h", -32768, 32767),
            ("I", 0, 2**24),
            ("i", -(2**24), 2**24),
        ):
            array = volume(letter, low, high)
            for options in ({}, {"ht": True, "z_levels": 1}):
                with self.subTest(letter=letter, options=options):
                    limited = {"bits": 26} if letter in "Ii" else {}
                    data = kostka.encode_volume(array, **limited, **options)
                    self.assertIsInstance(data, bytes)
                    decoded = kostka.decode_volume(data)
                    self.assertEqual((decoded.shape, decoded.format), ((DEPTH, HEIGHT, WIDTH), letter))
                    self.assertEqual(decoded, array)

    def test_parts(self):
        array = volume()
        data = kostka.encode_volume(array, z_levels=2)
        part = kostka.decode_volume(data, region=((2, 3, 4), (3, 2, 5)))
        wanted = [array[z, y, x] for z in (2, 3, 4) for y in (3, 4) for x in range(4, 9)]
        self.assertEqual(part.shape, (3, 2, 5))
        self.assertEqual([part[z, y, x] for z in range(3) for y in range(2) for x in range(5)], wanted)
        self.assertEqual(kostka.decode_volume(data, reduce=1, reduce_z=2).shape, (2, 5, 6))
        out = memoryview(bytearray(array.nbytes)).cast("h", array.shape)
        self.assertIs(kostka.decode_volume(data, out=out), out)
        self.assertEqual(out, array)
        self.assertEqual(kostka.decode_volume(data, device="cpu", memory="device"), array)  # the CPU's is the host's

    def test_targets(self):
        array = volume()
        self.assertLessEqual(len(kostka.encode_volume(array, ratio=2)), array.nbytes // 2)
        lossy = kostka.encode_volume(array, psnr=40)
        self.assertLess(len(lossy), len(kostka.encode_volume(array)))
        decoded = kostka.decode_volume(lossy)
        self.assertNotEqual(decoded, array)

    def test_many(self):
        arrays = [volume("h", -100 * i - 1, 100 * i + 1) for i in range(7)]
        for options in ({}, {"ht": True, "rate": 3.0}):
            coded = kostka.encode_volumes(arrays, **options)
            self.assertEqual(coded, [kostka.encode_volume(array, **options) for array in arrays])
        self.assertEqual(kostka.encode_volumes([]), [])
        for wrong in (bytes(8), memoryview(bytes(8)).cast("B", (2, 4))):
            with self.assertRaises((TypeError, ValueError)):
                kostka.encode_volumes([arrays[0], wrong])
        with self.assertRaises(TypeError):
            kostka.encode_volumes(3)

    def test_many_decoded(self):
        arrays = [volume("h", -100 * i - 1, 100 * i + 1) for i in range(7)]
        coded = kostka.encode_volumes(arrays)
        self.assertEqual(kostka.decode_volumes(coded), arrays)
        self.assertEqual(kostka.decode_volumes(iter(coded[:1])), arrays[:1])
        self.assertEqual(kostka.decode_volumes([]), [])
        out = [memoryview(bytearray(array.nbytes)).cast("h", array.shape) for array in arrays]
        for found, place in zip(kostka.decode_volumes(coded, out=out), out):
            self.assertIs(found, place)
        self.assertEqual(out, arrays)
        parts = kostka.decode_volumes(coded, region=((2, 3, 4), (3, 2, 5)), reduce_z=0)
        self.assertEqual(parts, [kostka.decode_volume(one, region=((2, 3, 4), (3, 2, 5))) for one in coded])
        self.assertRaises(ValueError, kostka.decode_volumes, coded, out=out[:3])
        self.assertRaises(TypeError, kostka.decode_volumes, 3)
        small = memoryview(bytearray(16)).cast("h", (2, 2, 2))
        for bad, error in (([*coded[:2], b"none"], kostka.KostkaError), ([*coded[:2], coded[2][:200]], kostka.KostkaError)):
            with self.assertRaises(error) as caught:
                kostka.decode_volumes(bad, strict=True)
            self.assertEqual(caught.exception.index, 2)
        with self.assertRaises(ValueError) as caught:
            kostka.decode_volumes(coded[:3], out=[out[0], small, out[2]])
        self.assertEqual(caught.exception.index, 1)

    def test_numbers(self):
        integers = volume("i", -5000, 5000)
        numbers = memoryview(bytearray(integers.nbytes)).cast("f")
        flat = integers.cast("B").cast("i")
        for i, value in enumerate(flat):
            numbers[i] = value * 0.25 + 3 + 0.1
        array = numbers.cast("B").cast("f", integers.shape)
        data = kostka.encode_volume(array, bits=14, scale=0.25, offset=3, error=0.11)
        self.assertEqual(kostka.decode_volume(data).tolist(), integers.tolist())
        with self.assertRaises(ValueError):
            kostka.encode_volume(array, scale=0.25)
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.encode_volumes([array], bits=14, scale=0.25, offset=3, error=0.09)
        self.assertIn("z 0, y 0, x 0: its integer is too far from it", str(caught.exception))
        self.assertRaises(ValueError, kostka.encode_volume, array, bits=14, scale=1e300)
        self.assertRaises(kostka.KostkaError, kostka.encode_volume, array, bits=14, scale=0)

    def test_refusals(self):
        array = volume()
        data = kostka.encode_volume(array)
        doubles = memoryview(bytes(64)).cast("d", (2, 2, 2))
        for wrong in (bytes(8), memoryview(bytes(8)).cast("B", (2, 4)), doubles):
            self.assertRaises((TypeError, ValueError), kostka.encode_volume, wrong)
        self.assertRaises(ValueError, kostka.encode_volume, array, bits=17)
        self.assertRaises(ValueError, kostka.encode_volume, array, ratio=2, psnr=40)
        self.assertRaises(TypeError, kostka.encode_volume, array, quality=3)
        self.assertRaises(TypeError, kostka.decode_volume, data, region=(1, 2, 3))
        self.assertRaises(TypeError, kostka.decode_volume, data, region=((1, 2), (3, 4)))
        self.assertRaises((TypeError, ValueError), kostka.decode_volume, data, region=((0, 0, -1), (1, 1, 1)))
        self.assertRaises(ValueError, kostka.decode_volume, data, region=((2**32, 0, 0), (1, 1, 1)))
        self.assertRaises(ValueError, kostka.decode_volume, data, region=((0, 0, 0), (0, 0, 0)))
        self.assertRaises(kostka.KostkaError, kostka.decode_volume, data, region=((6, 0, 0), (1, 1, 1)))
        self.assertRaises(kostka.KostkaError, kostka.decode_volume, data, reduce_z=3)
        self.assertRaises(kostka.KostkaError, kostka.decode_volume, data[:50])
        self.assertRaises((TypeError, ValueError), kostka.decode_volume, data, out=bytearray(9))
        floats = memoryview(bytearray(2 * array.nbytes)).cast("f", array.shape)
        self.assertRaises(ValueError, kostka.decode_volume, data, out=floats)
        self.assertRaises(ValueError, kostka.decode_volume, data, memory="host", out=bytearray(array.nbytes))
        self.assertRaises(ValueError, kostka.decode_volume, data, memory="disk")
        self.assertRaises(TypeError, kostka.Volume)
        other = memoryview(bytearray(array.nbytes)).cast("h", (HEIGHT, DEPTH, WIDTH))
        self.assertRaises(ValueError, kostka.decode_volume, data, out=other)
        frozen = memoryview(bytes(array.nbytes)).cast("h", array.shape)
        self.assertRaises((BufferError, TypeError), kostka.decode_volume, data, out=frozen)


if __name__ == "__main__":
    unittest.main()
