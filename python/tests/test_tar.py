# SPDX-License-Identifier: BSD-2-Clause
"""Groups of members in tar archives, alone and as the source of flows."""

import gzip
import io
import os
import subprocess
import tarfile
import tempfile
import unittest

import kostka
import pictures

COUNT = 20


def archive_of(members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


class Archives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.files = [kostka.encode(pictures.array(20 + i, 30, seed=i), device="cpu") for i in range(COUNT)]
        self.members = []
        for i, file in enumerate(self.files):
            self.members += [(f"a/{i:04}.jpg", file), (f"a/{i:04}.cls", b"%d" % i), (f"a/{i:04}.seg.json", b"{}")]
        self.data = archive_of(self.members)
        self.path = self.put("one.tar", self.data)

    def put(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def test_groups(self):
        for archives in (self.path, [self.path], io.BytesIO(self.data), self.put("two.tar.gz", gzip.compress(self.data))):
            groups = list(kostka.tar_groups(archives))
            self.assertEqual([one.key for one in groups], [f"a/{i:04}" for i in range(COUNT)])
            for i, one in enumerate(groups):
                self.assertEqual(one.members, {"jpg": self.files[i], "cls": b"%d" % i, "seg.json": b"{}"})
        self.assertEqual(next(kostka.tar_groups(self.path)).archive, self.path)
        self.assertEqual(len(list(kostka.tar_groups([self.path, self.path]))), 2 * COUNT)
        names = ["x", "y/.hidden", "y/b.tar.gz", "c."]
        groups = list(kostka.tar_groups(io.BytesIO(archive_of([(name, b"1") for name in names]))))
        self.assertEqual(
            [(one.key, one.members) for one in groups],
            [("x", {"": b"1"}), ("y/.hidden", {"": b"1"}), ("y/b", {"tar.gz": b"1"}), ("c", {"": b"1"})],
        )

    def test_shards(self):
        shares = [[one.key for one in kostka.tar_groups(self.path, shard=(i, 3))] for i in range(3)]
        self.assertEqual(sorted(sum(shares, [])), [f"a/{i:04}" for i in range(COUNT)])
        for bad in ((3, 3), (-1, 2), (0, 0)):
            with self.assertRaises(ValueError):
                list(kostka.tar_groups(self.path, shard=bad))
        # The command line divides alike.
        program = os.environ.get("KOSTKA")
        for i in range(3):
            out = os.path.join(self.folder, f"share-{i}-%d.tar")
            subprocess.run([program, "transcode", self.path, "-o", out, "--shard", f"{i}/3"], check=True)
            made = list(kostka.tar_groups(out % i))
            self.assertEqual([one.key for one in made], shares[i])

    def test_flow(self):
        for count, (group, image) in enumerate(kostka.flow_tar([self.path, self.path], devices="cpu", threads=3)):
            self.assertEqual(group.members["cls"], b"%d" % (count % COUNT))
            self.assertEqual(bytes(image), bytes(kostka.decode(self.files[count % COUNT], device="cpu")))
        self.assertEqual(count, 2 * COUNT - 1)
        made = list(kostka.flow_tar(self.path, encode={"codec": "jp2"}, pictures=["jpg"], devices="cpu"))
        self.assertEqual([kostka.info(data).codec for _, data in made], ["jpeg2000"] * COUNT)
        self.assertEqual(list(kostka.flow_tar(self.path, pictures=["png"], devices="cpu")), [])

    def test_failures(self):
        bad = archive_of([("a.jpg", self.files[0]), ("b.jpg", b"no picture"), ("c.jpg", self.files[2])])
        results = [one for _, one in kostka.flow_tar(io.BytesIO(bad), errors="return", devices="cpu")]
        self.assertIsInstance(results[1], kostka.KostkaError)
        self.assertEqual(bytes(results[2]), bytes(kostka.decode(self.files[2], device="cpu")))
        with self.assertRaises(kostka.KostkaError):
            list(kostka.flow_tar(io.BytesIO(bad), devices="cpu"))
        for cut in (700, len(self.data) // 3):
            with self.assertRaises(tarfile.ReadError):
                list(kostka.tar_groups(io.BytesIO(self.data[:cut])))
            with self.assertRaises(tarfile.ReadError):
                list(kostka.flow_tar(io.BytesIO(self.data[:cut]), devices="cpu"))
        with self.assertRaises(tarfile.ReadError):
            list(kostka.tar_groups(io.BytesIO(b"x" * 5000)))
        with self.assertRaises(FileNotFoundError):
            list(kostka.tar_groups(os.path.join(self.folder, "missing.tar")))
        with self.assertRaisesRegex(ValueError, "more than the limit of 100"):
            list(kostka.tar_groups(self.path, limit=100))
        with self.assertRaisesRegex(ValueError, "more bytes than the limit"):
            list(kostka.tar_groups(io.BytesIO(archive_of([(f"a.{i}", b"123") for i in range(9)])), limit=20))
        with self.assertRaises(ValueError):
            next(kostka.flow_tar(self.path, in_order=False))

    def test_folder(self):
        folder = os.path.join(self.folder, "nest")
        os.makedirs(os.path.join(folder, "b"))
        good = archive_of([("0.jpg", self.files[0]), ("0.cls", b"4"), ("1.jpg", self.files[1])])
        for name, data in (("a.tar", good), ("b/c.tar.gz", gzip.compress(good)), ("b/cut.tar", good[:700]), ("junk.tar", b"x")):
            self.put(os.path.join("nest", name), data)
        self.put("nest/alone.jpg", self.files[2])
        keys = [f"{tar}/{i}" for tar in ("a.tar", "b/c.tar.gz") for i in (0, 1)]
        made = list(kostka.flow_tar(folder, devices="cpu", errors="return"))
        self.assertEqual([group.key for group, _ in made], [*keys, None, None])
        self.assertEqual([os.path.basename(group.archive) for group, _ in made[4:]], ["cut.tar", "junk.tar"])
        for i, (group, result) in enumerate(made[:4]):
            self.assertEqual(bytes(result), bytes(kostka.decode(self.files[i % 2], device="cpu")))
            self.assertEqual(group.members.get("cls"), None if i % 2 else b"4")
        for _, error in made[4:]:
            self.assertIsInstance(error, tarfile.ReadError)
        with self.assertRaises(tarfile.ReadError):
            list(kostka.flow_tar(folder, devices="cpu"))
        os.unlink(os.path.join(folder, "b/cut.tar"))
        os.unlink(os.path.join(folder, "junk.tar"))
        self.assertEqual([one.key for one in kostka.tar_groups([folder])], keys)
        shares = [[one.key for one in kostka.tar_groups(folder, shard=(i, 2))] for i in range(2)]
        self.assertEqual(sorted(sum(shares, [])), keys)
        self.assertTrue(all(shares))

    def test_links(self):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            for name, kind in (("a.jpg", tarfile.SYMTYPE), ("b.jpg", tarfile.LNKTYPE), ("c", tarfile.DIRTYPE)):
                info = tarfile.TarInfo(name)
                info.type = kind
                info.linkname = "/etc/passwd"
                tar.addfile(info)
        data.seek(0)
        self.assertEqual(list(kostka.tar_groups(data)), [])


if __name__ == "__main__":
    unittest.main()
