# SPDX-License-Identifier: BSD-2-Clause
"""Streams from paths and file objects, and files that are written."""

import io
import os
import pathlib
import stat
import tempfile
import unittest

import kostka
import pictures

WIDTH, HEIGHT = 40, 24


class Named:
    """Another package's path."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.array = pictures.array(WIDTH, HEIGHT)
        self.data = kostka.encode(self.array)
        self.pixels = bytes(kostka.decode(self.data))
        self.path = self.folder / "a photo ü.jpg"
        self.path.write_bytes(self.data)

    def test_all_kinds(self):
        with open(self.path, "rb") as file:
            for source in (
                self.data,
                bytearray(self.data),
                memoryview(self.data),
                self.path,
                str(self.path),
                Named(str(self.path)),
                Named(os.fsencode(self.path)),
                io.BytesIO(self.data),
                file,
            ):
                with self.subTest(source=type(source)):
                    self.assertEqual(bytes(kostka.decode(source)), self.pixels)
        self.assertEqual(kostka.info(self.path), kostka.info(self.data))
        self.assertEqual(kostka.transcode(self.path), kostka.transcode(self.data))
        batch = kostka.decode_batch([self.path, self.data, io.BytesIO(self.data)])
        self.assertEqual([bytes(image) for image in batch], [self.pixels] * 3)
        job = kostka.submit([str(self.path)] * 2)
        self.assertEqual([bytes(image) for image in job.wait()], [self.pixels] * 2)

    def test_bytes_are_contents(self):
        """Bytes never name a file."""
        with self.assertRaises(kostka.KostkaError):
            kostka.decode(os.fsencode(self.path))

    def test_files_that_cannot_be_read(self):
        for path, kind in (
            (self.folder / "none.jpg", FileNotFoundError),
            (self.folder, IsADirectoryError),
            (self.path / "x", NotADirectoryError),
        ):
            for call in (kostka.decode, kostka.info, kostka.transcode):
                with self.assertRaises(kind) as caught:
                    call(path)
                self.assertEqual(os.fspath(caught.exception.filename), str(path))
        with self.assertRaises(FileNotFoundError) as caught:
            kostka.decode_batch([self.path, "none.jpg"], errors="return")
        self.assertEqual(caught.exception.index, 1)
        self.assertRaises(ValueError, kostka.decode, "null\0character")
        (self.folder / "empty").touch()
        with self.assertRaises(kostka.KostkaError) as caught:
            kostka.decode(self.folder / "empty")
        self.assertEqual(caught.exception.status, "ERROR_EMPTY")

    def test_pipe(self):
        read, write = os.pipe()
        with open(write, "wb") as file:
            file.write(self.data)
        self.assertEqual(bytes(kostka.decode(f"/dev/fd/{read}")), self.pixels)
        os.close(read)

    def test_limit(self):
        """Neither a sparse file nor one without end is read beyond the limit of memory."""
        context = kostka.Context("cpu", limits={"memory": 1 << 24})
        with open(self.folder / "sparse", "wb") as file:
            file.truncate(1 << 33)
        for path in (self.folder / "sparse", "/dev/zero"):
            with self.assertRaises(kostka.KostkaError) as caught:
                context.decode(path)
            self.assertEqual(caught.exception.status, "ERROR_LIMIT_MEMORY")

    def test_text_files(self):
        with open(self.path, encoding="latin-1") as file:
            with self.assertRaises(TypeError) as caught:
                kostka.decode(file)
        self.assertIn("binary mode", str(caught.exception))

    def test_reading_that_fails(self):
        class Broken:
            def read(self):
                raise OSError("mine")

        self.assertRaises(OSError, kostka.decode, Broken())

    def test_save(self):
        image = kostka.decode(self.data)
        for name, codec, options in (
            ("a.jpg", "jpeg", {"quality": 90, "progressive": True}),
            ("a.JPEG", "jpeg", {}),
            ("a.jp2", "jp2", {"lossless": True}),
            ("a.j2k", "j2k", {"rate": 2}),
            ("a.j2c", "j2k", {}),
        ):
            path = self.folder / name
            kostka.save(path, image, **options)
            self.assertEqual(path.read_bytes(), kostka.encode(image, codec=codec, **options))
            image.save(str(path), **options)
            self.assertEqual(path.read_bytes(), kostka.encode(image, codec=codec, **options))
        self.assertEqual(
            sorted(os.listdir(self.folder)), sorted([self.path.name, "a.jpg", "a.JPEG", "a.jp2", "a.j2k", "a.j2c"])
        )

    def test_save_to_objects(self):
        class Slow(io.RawIOBase):
            """Takes some bytes at a time, as raw files may."""

            def __init__(self):
                self.data = b""

            def write(self, data):
                self.data += bytes(data[:100])
                return min(100, len(data))

        file = io.BytesIO()
        kostka.save(file, self.array, codec="jp2")
        self.assertEqual(file.getvalue(), kostka.encode(self.array, codec="jp2"))
        slow = Slow()
        kostka.save(slow, self.array)
        self.assertEqual(slow.data, self.data)
        self.assertRaises(TypeError, kostka.save, 7, self.array)

    def test_names_that_contradict(self):
        for name, options in (
            ("a.png", {}),
            ("a", {}),
            ("a.jp2", {"codec": "jpeg"}),
            ("a.jpg", {"codec": "jp2"}),
            ("a.jp2", {"codec": "j2k"}),
            ("a.jpg", {"lossless": True}),
            ("a.jp2", {"subsampling": "420"}),
        ):
            with self.subTest(name=name, options=options):
                self.assertRaises(ValueError, kostka.save, self.folder / name, self.array, **options)
        self.assertEqual(os.listdir(self.folder), [self.path.name])
        kostka.save(self.folder / "a", self.array, codec="jpeg")
        kostka.save(self.folder / "a.jp2", self.array, codec="jpeg2000")

    def test_old_files_stay_until_the_new_ones_are_whole(self):
        before = self.path.read_bytes()
        self.assertRaises(kostka.KostkaError, kostka.save, self.path, self.array, quality=0)
        self.assertEqual(self.path.read_bytes(), before)
        self.path.chmod(0o640)
        link = self.folder / "link.jpg"
        link.symlink_to(self.path)
        kostka.save(link, self.array, quality=30)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.path.read_bytes(), kostka.encode(self.array, quality=30))
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)
        with self.assertRaises(FileNotFoundError):
            kostka.save(self.folder / "no" / "a.jpg", self.array)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([self.path.name, "link.jpg"]))

    def test_new_files_have_the_masks_mode(self):
        old = os.umask(0o027)
        try:
            kostka.save(self.folder / "new.jpg", self.array)
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE((self.folder / "new.jpg").stat().st_mode), 0o640)

    def test_device_files(self):
        kostka.save("/dev/null", self.array, codec="jpeg")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


if __name__ == "__main__":
    unittest.main()
