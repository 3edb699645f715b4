# SPDX-License-Identifier: BSD-2-Clause
"""Pictures to code, without NumPy."""

import random


def pixels(width, height, channels=3, seed=1):
    """Slopes with some noise, row by row."""
    noise = random.Random(seed)
    data = bytearray()
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                data.append((x * (c + 2) + y * 3 + c * 40 + noise.randrange(16)) & 255)
    return data


def array(width, height, channels=3, seed=1):
    """The same with a shape."""
    shape = (height, width, channels) if channels > 1 else (height, width)
    return memoryview(pixels(width, height, channels, seed)).cast("B", shape)


def error(a, b):
    """Mean absolute difference."""
    return sum(abs(x - y) for x, y in zip(a, b)) / len(a)


class Cai:
    """Something with a CUDA array interface."""

    def __init__(self, **members):
        self.__cuda_array_interface__ = {
            "shape": (16, 16, 3),
            "typestr": "|u1",
            "data": (0x10000, False),
            "version": 3,
            **members,
        }


class Dlpack:
    """An object whose DLPack methods return chosen values."""

    def __init__(self, device, capsule):
        self.device = device
        self.capsule = capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        if isinstance(self.capsule, Exception):
            raise type(self.capsule)(*self.capsule.args)
        return self.capsule
