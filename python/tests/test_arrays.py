# SPDX-License-Identifier: BSD-2-Clause
"""Checks the interfaces that images offer to other packages, without any of these."""

import ctypes
import gc
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 30, 20


class Dl(ctypes.Structure):
    """DLManagedTensor, up to its deleter."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("ordinal", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


def open_capsule(capsule, name=b"dltensor"):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.image = kostka.decode(kostka.encode(pictures.array(WIDTH, HEIGHT)), device="cpu")

    def test_buffer(self):
        view = memoryview(self.image)
        self.assertEqual((view.format, view.itemsize, view.readonly, view.c_contiguous), ("B", 1, False, True))
        self.assertEqual((view.shape, view.strides), (self.image.shape, self.image.strides))
        self.assertEqual(view.nbytes, WIDTH * HEIGHT * 3)
        view[3, 4, 1] = 77
        self.assertEqual(memoryview(self.image)[3, 4, 1], 77)
        self.assertEqual(bytearray(self.image)[3 * WIDTH * 3 + 4 * 3 + 1], 77)

    def test_buffer_outlives_the_image(self):
        wanted = bytes(self.image)
        view = memoryview(self.image)
        self.image = None
        gc.collect()
        self.assertEqual(view.tobytes(), wanted)

    def test_array_interface(self):
        interface = self.image.__array_interface__
        self.assertEqual(interface["shape"], (HEIGHT, WIDTH, 3))
        self.assertEqual((interface["typestr"], interface["version"], interface["strides"]), ("|u1", 3, None))
        address, read_only = interface["data"]
        self.assertFalse(read_only)
        self.assertEqual(ctypes.string_at(address, WIDTH * HEIGHT * 3), bytes(self.image))
        self.assertFalse(hasattr(self.image, "__cuda_array_interface__"))

    def test_dlpack(self):
        self.assertEqual(self.image.__dlpack_device__(), (1, 0))
        capsule = self.image.__dlpack__()
        tensor = ctypes.cast(open_capsule(capsule), ctypes.POINTER(Dl)).contents
        self.assertEqual((tensor.type, tensor.code, tensor.bits, tensor.lanes, tensor.offset), (1, 1, 8, 1, 0))
        self.assertEqual(tensor.shape[: tensor.dimensions], [HEIGHT, WIDTH, 3])
        self.assertEqual(tensor.strides[: tensor.dimensions], [WIDTH * 3, 3, 1])
        wanted = bytes(self.image)
        self.image = None
        gc.collect()
        self.assertEqual(ctypes.string_at(tensor.data, len(wanted)), wanted)

    def test_dlpack_keywords(self):
        self.assertTrue(open_capsule(self.image.__dlpack__(max_version=(1, 0)), b"dltensor_versioned"))
        self.assertTrue(open_capsule(self.image.__dlpack__(max_version=(0, 8))))
        self.assertTrue(open_capsule(self.image.__dlpack__(stream=None, dl_device=(1, 0), copy=False)))
        self.assertRaises(BufferError, self.image.__dlpack__, copy=True)
        self.assertRaises(BufferError, self.image.__dlpack__, dl_device=(2, 0))
        self.assertRaises(BufferError, self.image.__dlpack__, stream=1)
        self.assertRaises(TypeError, self.image.__dlpack__, max_version=1)
        self.assertRaises(TypeError, self.image.__dlpack__, 1)

    def test_consumed_capsule(self):
        """Do what a consumer does: rename, and call the deleter later."""
        set_name = ctypes.pythonapi.PyCapsule_SetName
        set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
        for version, name, deleter_at in (((0, 8), b"dltensor", 56), ((1, 0), b"dltensor_versioned", 16)):
            capsule = self.image.__dlpack__(max_version=version)
            pointer = open_capsule(capsule, name)
            used = b"used_" + name
            set_name(capsule, used)
            del capsule
            deleter = ctypes.c_void_p.from_address(pointer + deleter_at).value
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(pointer)

    def test_our_own_dlpack_comes_back(self):
        for version in ((0, 8), (1, 0)):
            capsule = self.image.__dlpack__(max_version=version)
            given = pictures.Dlpack((1, 0), capsule)
            self.assertEqual(kostka.encode(given), kostka.encode(self.image))
        target = kostka.decode(kostka.encode(pictures.array(WIDTH, HEIGHT, seed=5)))
        data = kostka.encode(self.image)
        kostka.decode(data, out=pictures.Dlpack((1, 0), target.__dlpack__()))
        self.assertEqual(bytes(target), bytes(kostka.decode(data)))

    def test_rows_with_gaps(self):
        image = kostka.decode(kostka.encode(pictures.array(WIDTH, HEIGHT)), device="cpu", memory="pinned")
        view = memoryview(image)
        if not view.c_contiguous:
            self.assertEqual(image.__array_interface__["strides"], view.strides)
        self.assertEqual(view.tobytes(), bytes(kostka.decode(kostka.encode(pictures.array(WIDTH, HEIGHT)))))
        self.assertEqual(kostka.encode(image), kostka.encode(view))

    def test_no_constructor(self):
        self.assertRaises(TypeError, kostka.Image)
        self.assertRaises(TypeError, type, "Mine", (kostka.Image,), {})
        self.assertRaises(TypeError, type, "Mine", (kostka.Context,), {})
        self.assertIn("rgb 30x20", repr(self.image))


if __name__ == "__main__":
    unittest.main()
