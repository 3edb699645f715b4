# SPDX-License-Identifier: BSD-2-Clause
"""Loaders: folders, lists and archives as batches."""

import collections
import io
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

import kostka
import pictures
from kostka import _items, _kostka

COUNT, EACH = 36, 6  # pictures; in each archive
SIDE = 16


def archive_of(members, form=tarfile.GNU_FORMAT):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=form) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


def contents(loader):
    return [(batch.keys, batch.labels, bytes(batch.images)) for batch in loader]


def keys(loader):
    return [key for batch in loader for key in batch.keys]


class WithFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.files = [kostka.encode(pictures.array(30 + i, 40, seed=i), device="cpu") for i in range(COUNT)]
        cls.archives = []
        for first in range(0, COUNT, EACH):
            members = []
            for i in range(first, first + EACH):
                members += [(f"a/{i:02}.jpg", cls.files[i]), (f"a/{i:02}.cls", b"%d" % i)]
                members += [(f"a/{i:02}.json", b'{"n": %d}' % i), (f"a/{i:02}.txt", "ü".encode())]
            cls.archives.append(cls.put(f"{first:02}.tar", archive_of(members)))
        for i in range(12):
            cls.put(f"tree/{'abc'[i % 3]}/{i:02}.jpg", cls.files[i])
        cls.put("tree/a/notes.txt", b"no picture")
        cls.tree = os.path.join(cls.folder, "tree")

    @classmethod
    def put(cls, name, data):
        path = os.path.join(cls.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def load(self, source=None, size=SIDE, **options):
        loader = kostka.Loader(source or self.archives, size, **{"batch_size": 5, "device": "cpu", **options})
        self.addCleanup(loader.close)
        return loader


class Channels(WithFiles):
    def test_loaders_ask_for_channels(self):
        for given, wanted in ((None, "32"), ("4", "4")):
            environment = {} if given is None else {"CUDA_DEVICE_MAX_CONNECTIONS": given}
            with unittest.mock.patch.dict(os.environ, environment):
                if given is None:
                    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
                kostka._context("cpu")
                self.assertEqual(os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS"), given)
                self.load()
                self.assertEqual(os.environ["CUDA_DEVICE_MAX_CONNECTIONS"], wanted)


class Sources(WithFiles):
    def test_archives(self):
        loader = self.load(fields=["json", "txt", "xyz"])
        with self.assertRaises(TypeError):
            len(loader)
        batches = list(loader)
        self.assertEqual([len(batch) for batch in batches], [5] * 7 + [1])
        self.assertEqual(len(loader), 8)
        self.assertEqual([key for batch in batches for key in batch.keys], [f"a/{i:02}" for i in range(COUNT)])
        self.assertEqual(batches[1].labels, [5, 6, 7, 8, 9])
        self.assertEqual(batches[7].fields, {"json": [{"n": 35}], "txt": ["ü"], "xyz": [None]})
        self.assertEqual(batches[0].images.shape, (5, 3, SIDE, SIDE))
        images, labels = batches[0]
        self.assertIs(images, batches[0].images)
        self.assertIs(labels, batches[0].labels)
        self.assertIsNone(next(iter(self.load(labels=None))).labels)
        self.assertEqual(keys(self.load(self.archives[0])), [f"a/{i:02}" for i in range(EACH)])

    def test_folder(self):
        loader = self.load(self.tree)
        self.assertEqual((loader.classes, len(loader)), (["a", "b", "c"], 3))
        batches = list(loader)
        self.assertEqual(batches[0].keys, [f"a/{i:02}.jpg" for i in (0, 3, 6, 9)] + ["b/01.jpg"])
        self.assertEqual(sum((batch.labels for batch in batches), []), [0] * 4 + [1] * 4 + [2] * 4)
        self.assertEqual(len(self.load(self.tree, drop_last=True)), 2)
        self.assertEqual(len(list(self.load(self.tree, drop_last=True))), 2)

    def test_archives_in_a_folder(self):
        data = archive_of([("0.jpg", self.files[0]), ("1.jpg", self.files[1]), ("1.cls", b"7"), ("2.txt", b"no picture")])
        for name, content in (("a.tar", data), ("cat/b.tar", data), ("dog/0.jpg", self.files[2]), ("dog/cut.tar", data[:700])):
            self.put("mixed/" + name, content)
        source = os.path.join(self.folder, "mixed")
        loader = self.load(source, errors="skip")
        names = ["a.tar/0", "a.tar/1", "cat/b.tar/0", "cat/b.tar/1", "dog/0.jpg"]
        batches = list(loader)
        self.assertEqual(([key for batch in batches for key in batch.keys], loader.classes), (names, ["cat", "dog"]))
        self.assertEqual([label for batch in batches for label in batch.labels], [None, 7, 0, 7, 1])
        self.assertEqual([name for name, _ in loader.failures], [os.path.join(source, "dog/cut.tar")])
        self.assertIsInstance(loader.failures[0][1], kostka.ArchiveError)
        with self.assertRaises(kostka.ArchiveError):
            list(self.load(source))
        os.unlink(os.path.join(source, "dog/cut.tar"))
        self.assertEqual(sorted(keys(self.load(source, shuffle=True, buffer=2))), names)
        for split in ("keys", "archives"):
            shares = [keys(self.load(source, shard=(i, 2), split=split)) for i in range(2)]
            self.assertEqual(sorted(sum(shares, [])), names)
            self.assertTrue(all(shares))

    def test_lists(self):
        paths = [os.path.join(self.tree, "a", "00.jpg"), os.path.join(self.tree, "b", "01.jpg")]
        (batch,) = self.load(paths)
        self.assertEqual((batch.keys, batch.labels), (paths, None))
        (batch,) = self.load([(path, str(i)) for i, path in enumerate(paths)])
        self.assertEqual(batch.labels, ["0", "1"])

    def test_formats_of_archives(self):
        long = "long/" * 50 + "0.jpg"
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            names = ["x/" * 60 + "1.jpg"] + [long] * (form != tarfile.USTAR_FORMAT) + ["ü.jpg"]
            path = self.put("form.tar", archive_of([(name, self.files[0]) for name in names], form))
            self.assertEqual(keys(self.load(path)), [name[:-4] for name in names])

    def test_refused(self):
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty)
        for error, options in (
            (ValueError, {"size": 0}),
            (ValueError, {"batch_size": 0}),
            (ValueError, {"prefetch": 0}),
            (ValueError, {"readers": 0}),
            (ValueError, {"crop": "middle"}),
            (ValueError, {"scale": (0.1, 1)}),
            (ValueError, {"crop": "random", "scale": (0.5, 2)}),
            (ValueError, {"crop": "random", "ratio": (2, 1)}),
            (ValueError, {"crop": "random", "resize": 20}),
            (ValueError, {"flip": 2}),
            (ValueError, {"dtype": "uint16"}),
            (ValueError, {"mean": 3}),
            (ValueError, {"errors": "ignore"}),
            (ValueError, {"split": "halves"}),
            (ValueError, {"shard": (2, 2)}),
            (ValueError, {"epochs": 0}),
            (kostka.OptionError, {"dtype": "float32", "mean": 1e30}),
            (ValueError, {"source": [self.archives[0], "a.jpg"]}),
            (ValueError, {"source": empty}),
            (ValueError, {"source": []}),
        ):
            with self.assertRaises((error, TypeError), msg=options):
                kostka.Loader(**{"source": self.archives, "size": SIDE, "device": "cpu", **options})


class Pictures(WithFiles):
    def test_pixels(self):
        """A batch has the pixels of resizing the middle, or the whole, of what is decoded."""
        for options, wanted in (
            ({"crop": "none"}, {}),
            ({}, {"fit": "cover"}),
            ({"filter": "lanczos"}, {"fit": "cover", "filter": "lanczos"}),
        ):
            batch = next(iter(self.load(layout="NHWC", **options)))
            for i in range(5):
                image = kostka.decode(self.files[i], device="cpu")
                image = kostka.resize(image, (SIDE, SIDE), **{"filter": "bilinear", **wanted})
                self.assertEqual(bytes(batch.images[i]), bytes(image), options)

    def test_shorter_side(self):
        batch = next(iter(self.load(resize=20, layout="NHWC")))
        image = kostka.decode(self.files[0], device="cpu")  # 30 × 40: of 20 × 26 2/3 the middle 16 × 16
        image = kostka.resize(image, (SIDE, SIDE), filter="bilinear", box=(3, 8, 27, 32))
        self.assertEqual(bytes(batch.images[0]), bytes(image))

    def test_random_crops(self):
        context = kostka._context("cpu")
        data = [kostka.encode(pictures.array(200, 100), device="cpu")] * 400
        options = {"size": 8, "crop": "random", "scale": (0.25, 0.5), "ratio": (0.5, 2), "flip": 0.25, "seed": 5}
        boxes, mirror, errors = context._crops(data, **options)
        found = list(zip(boxes, mirror))
        self.assertEqual((boxes[7:9], mirror[7:9], {}), context._crops(data[:2], first=7, **options))
        self.assertEqual(errors, {})
        self.assertNotEqual(found[0], found[1])
        lefts, areas = [], []
        for (left, top, right, bottom), _ in found:
            self.assertTrue(0 <= left < right <= 200 and 0 <= top < bottom <= 100)
            self.assertTrue(0.49 < (right - left) / (bottom - top) < 2.04)
            areas.append((right - left) * (bottom - top) / 20000)
            lefts.append(left / max(1, 200 - (right - left)))
        self.assertTrue(0.24 < min(areas) < 0.27 and 0.4 < max(areas) < 0.51)
        self.assertAlmostEqual(sum(lefts) / len(lefts), 0.5, delta=0.06)
        self.assertAlmostEqual(sum(mirror for _, mirror in found) / len(found), 0.25, delta=0.06)
        wide = kostka.encode(pictures.array(300, 10), device="cpu")
        ((box,), _, _) = context._crops([wide], size=8, crop="random", scale=(1, 1))
        self.assertEqual(box, (143, 0, 156, 10))  # no part has this area and ratio: the middle

    def test_numbers(self):
        options = ({"mean": 0, "std": 1}, {"mean": (1, 2, 3), "std": 2})
        plain, scaled = (next(iter(self.load(dtype="float32", **one))).images for one in options)
        a, b = memoryview(plain).cast("B").cast("f"), memoryview(scaled).cast("B").cast("f")
        for channel in range(3):
            at = channel * SIDE * SIDE + 5
            self.assertEqual(b[at], (a[at] - channel - 1) / 2)


class Orders(WithFiles):
    OPTIONS = {"shuffle": True, "buffer": 10, "crop": "random", "flip": True}

    def test_seeds(self):
        for source in (self.archives, self.tree):
            first = contents(self.load(source, **self.OPTIONS))
            self.assertEqual(first, contents(self.load(source, readers=1, prefetch=4, **self.OPTIONS)))
            self.assertNotEqual(first, contents(self.load(source, seed=1, **self.OPTIONS)))
            found, in_order = sum((batch[0] for batch in first), []), keys(self.load(source))
            self.assertNotEqual(found, in_order)
            self.assertEqual(sorted(found), sorted(in_order))

    def test_epochs(self):
        loader = self.load(**self.OPTIONS)
        epochs = [contents(loader) for _ in range(3)]
        self.assertEqual(loader.epoch, 3)
        self.assertNotEqual(epochs[0], epochs[1])
        self.assertEqual(contents(self.load(epochs=3, **self.OPTIONS)), sum(epochs, []))
        loader.set_epoch(1)
        self.assertEqual(contents(loader), epochs[1])

    def test_resume(self):
        for source in (self.archives, self.tree):
            whole = contents(self.load(source, epochs=2, **self.OPTIONS))
            for count in (1, 2, len(whole) // 2, len(whole) - 1):
                loader = self.load(source, epochs=2, **self.OPTIONS)
                batches = iter(loader)
                begun = [next(batches) for _ in range(count)]
                self.assertEqual([batch.keys for batch in begun], [batch[0] for batch in whole[:count]])
                later = self.load(source, epochs=2, **self.OPTIONS)
                later.load_state_dict(loader.state_dict())
                self.assertEqual(contents(later), whole[count:])
        state = loader.state_dict()
        for other in ({"seed": 2}, {"shuffle": False}, {"shard": (0, 2)}):
            with self.assertRaises(ValueError):
                self.load(**{**self.OPTIONS, **other}).load_state_dict(state)

    def test_left_and_begun_again(self):
        loader = self.load(**self.OPTIONS)
        first = next(iter(loader)).keys
        self.assertEqual(next(iter(loader)).keys, first)
        self.assertEqual(keys(loader)[:5], first)

    def test_shards(self):
        for source, names in ((self.archives, "keys"), (self.archives, "archives"), (self.tree, "keys")):
            shares = [keys(self.load(source, shard=(i, 3), split=names)) for i in range(3)]
            self.assertEqual(sorted(sum(shares, [])), sorted(keys(self.load(source))))
            self.assertGreater(min(len(share) for share in shares), 0)
        self.assertEqual(
            keys(self.load(shard=(1, 3))), [one.key for one in kostka.tar_groups(self.archives, shard=(1, 3))]
        )

    def test_shard_of_a_launcher(self):
        mine = keys(self.load(shard=(1, 2)))
        for launcher in (
            {"RANK": "1", "WORLD_SIZE": "2"},
            {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"},
            {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"},
            {"JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "2"},
        ):
            with unittest.mock.patch.dict(os.environ, launcher, clear=True):
                self.assertEqual(keys(self.load(shard="auto")), mine)
        with unittest.mock.patch.dict(os.environ, {}, clear=True):
            self.assertEqual(len(keys(self.load(shard="auto"))), COUNT)
        with unittest.mock.patch.dict(os.environ, {"RANK": "x", "WORLD_SIZE": "2"}, clear=True):
            self.assertRaises(ValueError, self.load, shard="auto")


class Failures(WithFiles):
    def test_pictures(self):
        members = [("0.jpg", self.files[0]), ("1.jpg", b"none"), ("2.jpg", self.files[2]), ("3.cls", b"3")]
        members += [("4.jpg", self.files[4]), ("4.cls", b"four"), ("5.jpg", self.files[5])]
        path = self.put("bad.tar", archive_of(members))
        for crop in ("center", "random"):
            loader = self.load(path, errors="skip", crop=crop)
            self.assertEqual(keys(loader), ["0", "2", "5"])
            self.assertEqual((loader.failed, [name for name, _ in loader.failures]), (2, ["1", "4"]))
            self.assertIsInstance(loader.failures[0][1], kostka.StreamError)
        with self.assertRaises(kostka.StreamError) as raised:
            list(self.load(path))
        self.assertIn("of 1", raised.exception.__notes__)
        self.assertEqual(keys(self.load(path, errors="skip", batch_size=1)), ["0", "2", "5"])

    def test_found_while_decoding(self):
        """A stream whose headers are right but that is cut fails later than the others."""
        jp2 = kostka.encode(pictures.array(30, 30), codec="jp2", device="cpu")
        members = [("0.jpg", self.files[0]), ("1.jpg", self.files[1][:-40]), ("2.jp2", jp2), ("3.jpg", self.files[3])]
        path = self.put("cut.tar", archive_of(members))
        loader = self.load(path, errors="skip", strict=True, crop="random")
        (batch,) = loader
        self.assertEqual(batch.keys, ["0", "2", "3"])
        self.assertEqual(loader.failures[0][0], "1")
        alone = self.load(self.put("alone.tar", archive_of(members[:1])), crop="random")
        self.assertEqual(bytes(next(iter(alone)).images[0]), bytes(batch.images[0]))

    def test_files(self):
        pipe = os.path.join(self.folder, "pipe.jpg")
        os.mkfifo(pipe)
        self.addCleanup(os.unlink, pipe)
        good = os.path.join(self.tree, "a", "00.jpg")
        loader = self.load([pipe, good, "missing.jpg", self.folder], errors="skip")
        self.assertEqual(keys(loader), [good])
        self.assertEqual([type(error) for _, error in loader.failures], [ValueError, FileNotFoundError, ValueError])
        self.assertRaises(FileNotFoundError, list, self.load([good, "missing.jpg"]))
        self.assertEqual(keys(self.load([good], limit=10, errors="skip")), [])
        loader = self.load([pipe.replace("jpg", "tar"), self.archives[0]], errors="skip")
        self.assertEqual(len(keys(loader)), EACH)
        self.assertEqual(loader.failures[0][0], pipe.replace("jpg", "tar"))

    def test_archives(self):
        with open(self.archives[1], "rb") as file:
            whole = file.read()
        for name, data, count, offset in (
            ("cut", whole[:600], 0, 0),
            ("header", whole[:100], 0, 100),
            ("empty", b"", 0, 0),
            ("noise", random.Random(1).randbytes(4096), 0, 0),
            ("later", whole[:2048] + b"x" * 1024, None, 2048),
        ):
            path = self.put(f"{name}-bad.tar", data)
            loader = self.load([self.archives[0], path, self.archives[2]], errors="skip")
            found = keys(loader)
            self.assertEqual(found[:EACH], [f"a/{i:02}" for i in range(EACH)], name)
            self.assertEqual(found[-EACH:], [f"a/{i:02}" for i in range(2 * EACH, 3 * EACH)], name)
            errors = [error for _, error in loader.failures if isinstance(error, kostka.ArchiveError)]
            self.assertEqual([error.archive for error in errors], [path], name)
            if count is not None:
                self.assertEqual((len(found), errors[0].offset), (2 * EACH + count, offset), name)
                self.assertRaises(kostka.ArchiveError, list, self.load([path], labels=None))

    def test_ends(self):
        """The blocks of zeros at the end may be missing."""
        data = archive_of([("a.jpg", self.files[0])])
        length = 512 + -(-len(self.files[0]) // 512) * 512
        self.assertEqual(keys(self.load(self.put("end.tar", data[:length]))), ["a"])
        self.assertEqual(keys(self.load(self.put("end.tar", data[: 512 + len(self.files[0])]))), ["a"])
        self.assertEqual(keys(self.load(self.put("end.tar", data + b"what follows"))), ["a"])


def groups_of(path, pictures, names=(), folder="", shard=(0, 1)):
    """The groups of an archive, as pairs of the key and the picture's extension, offset and size, and what is wrong."""
    with open(path, "rb") as file:
        groups, wrong = _kostka.tar_groups(file, file.fileno(), folder, None, shard, pictures, names)
        return [(one.key, one.picture) for one in groups], wrong


class Groups(WithFiles):
    """Members are joined by what is in front of the first dot of their last part."""

    EXTENSIONS = ("jpg", "b.jpg", "j", "\udcfe", "")

    def put_all(self, *names):
        return self.put("groups.tar", archive_of([(name, b"%d" % i) for i, name in enumerate(names)]))

    def test_names(self):
        for name, key, extension in (
            ("a.jpg", "a", "jpg"),
            ("a.b.jpg", "a", "b.jpg"),
            ("d.e/a.jpg", "d.e/a", "jpg"),
            ("d.e/a", "d.e/a", ""),
            ("a.", "a", ""),
            (".a", ".a", ""),
            ("d/.a.jpg", "d/.a.jpg", ""),
            ("d/", "d/", ""),
            ("", "", ""),
            ("\udcff.\udcfe", "\udcff", "\udcfe"),
            ("\N{GRINNING FACE}.j", "\N{GRINNING FACE}", "j"),
        ):
            path = self.put_all(name)
            self.assertEqual(groups_of(path, self.EXTENSIONS), ([(key, (extension, 512, 1))], None), name)
            self.assertEqual(groups_of(path, (None, 3, "\ud800", "xyz")), ([], None), name)
            self.assertEqual(groups_of(path, self.EXTENSIONS, folder="f.g/")[0][0][0], "f.g/" + key, name)
            self.assertEqual(_kostka.tar_split(name), (key, extension), name)

    def test_neighbours(self):
        self.assertEqual(groups_of(self.put_all(), ("jpg",)), ([], None))
        path = self.put_all("a.jpg", "a.cls", "b.jpg", "a.json", "a.jpg", "a.jpg", "d/a.jpg", "c.cls", "e.b.jpg", "e.jpg")
        pictures = ("b.jpg", "jpg")
        found, wrong = groups_of(path, pictures)
        self.assertIsNone(wrong)
        self.assertEqual([key for key, _ in found], ["a", "b", "a", "d/a", "e"])
        self.assertEqual([picture[0] for _, picture in found], ["jpg"] * 4 + ["b.jpg"])
        self.assertEqual(found[2][1], ("jpg", 5 * 1024 + 512, 1))  # the last of one name counts
        shares = [groups_of(path, pictures, shard=(i, 2), folder="f/")[0] for i in range(2)]
        self.assertEqual(sorted(sum(shares, [])), sorted(("f/" + key, picture) for key, picture in found))
        for i, share in enumerate(shares):
            self.assertEqual([_kostka.name_hash(key.encode()) % 2 for key, _ in share], [i] * len(share))

    def test_contents(self):
        members = [("a.jpg", b"p"), ("a.cls", b"007"), ("a.x.cls", b" 1_0\n"), ("b.jpg", b""), ("c.jpg", b"q"), ("c.cls", b"-3")]
        members += [("d.jpg", b"r"), ("d.cls", b"9" * 40), ("e.jpg", b"s"), ("e.cls", b""), ("f.jpg", b"t"), ("f.txt", b"u")]
        path = self.put("contents.tar", archive_of(members))
        names = ("cls", "x.cls", "txt")

        context = kostka._context("cpu")

        def read(limit=100, label="cls", fields=("x.cls", "txt"), length=None):
            with open(path, "r+b") as file:
                found, _ = _kostka.tar_groups(file, file.fileno(), "", 5, (0, 1), ("jpg",), names)
                if length is not None:
                    file.truncate(length)
                return _items.read_items(context, [*found, ValueError("one")], label, fields, limit)

        contents = read()
        self.assertEqual([bytes(one) for one in contents.streams], [b"p", b"", b"q", b"r", b"", b"t", b""])
        self.assertEqual(contents.labels[:4] + contents.labels[5:6], [7, 5, -3, int("9" * 40), 5])
        self.assertEqual([column[:4] for column in contents.fields], [[10, None, None, None], [None] * 4])
        self.assertEqual(contents.fields[1][5], "u")
        messages = {i: str(error)[:39] for i, error in contents.failures.items()}
        self.assertEqual(messages, {4: "invalid literal for int() with base 10:", 6: "one"})
        self.assertEqual(str(read(limit=3).failures[3]), "d.cls: 40 bytes, more than the limit of 3")
        for limit, failed in ((0, [0, 2, 3, 4, 5, 6]), (-1, list(range(7))), (2.5, [0, 3, 4, 6]), (2**80, [4, 6])):
            self.assertEqual(sorted(read(limit=limit).failures), failed)
        self.assertEqual(sorted(read(limit=float("inf")).failures), [4, 6])
        self.assertRaises(ValueError, read, fields=())
        with open(path, "rb") as file:  # a name that is no string
            found, _ = _kostka.tar_groups(file, file.fileno(), "", 5, (0, 1), ("jpg",), names)
            failures = context._read_groups(found, (5, "", ""), True, 3, 3, lambda name, data: data)[4]
            self.assertEqual(str(failures[3]), "d.5: 40 bytes, more than the limit of 3")
        failures = read(length=512).failures
        self.assertEqual(sorted(failures), [0, 2, 3, 4, 5, 6])
        self.assertEqual((type(failures[0]), str(failures[0])), (EOFError, "the file ends 1 bytes too early"))

    def test_blocks(self):
        """Streams lie in a block of the context's; those that are long, or more than its limit, do not."""
        long = self.files[0] + bytes(1 << 20)
        path = self.put("long.tar", archive_of([("a.jpg", self.files[0]), ("b.jpg", long), ("c.jpg", self.files[1])]))
        for limits, kinds in (({}, [_kostka.Part, bytes, _kostka.Part]), ({"memory": 1000}, [bytes] * 3)):
            with kostka.Context("cpu", limits=limits) as context, open(path, "rb") as file:
                found, _ = _kostka.tar_groups(file, file.fileno(), "", None, (0, 1), ("jpg",), ())
                streams = _items.read_items(context, found, None, (), 1 << 21).streams
            self.assertEqual([type(one) for one in streams], kinds)
            self.assertEqual([len(one) for one in streams], [len(self.files[0]), len(long), len(self.files[1])])
            self.assertEqual([bytes(one) for one in streams], [self.files[0], long, self.files[1]])
            self.assertTrue(context.closed and memoryview(streams[0]).readonly)
            self.assertRaises(ValueError, _items.read_items, context, found, None, (), 1)

    def test_misuse(self):
        with open(self.archives[0], "rb") as file:
            good = (file, file.fileno(), "", None, (0, 1), ("jpg",), ())
            for i, bad in ((1, "x"), (2, b""), (4, (0, 0)), (4, 1), (5, ["jpg"]), (6, None)):
                self.assertRaises((TypeError, ValueError), _kostka.tar_groups, *good[:i], bad, *good[i + 1 :])
        read = kostka._context("cpu")._read_groups
        self.assertRaises(TypeError, read, 1, (), False, 1, 1, print)
        self.assertRaises(ValueError, read, [], (), True, 1, 1, print)


class Shuffling(unittest.TestCase):
    """Many items are shuffled in a call as if random() had been called for each."""

    def test_exchange(self):
        for room in (1, 7, 4096):
            held, wanted, taken = list(range(room)), list(range(room)), []
            items = list(range(room, room + 500))
            chance = random.Random(room)
            found = _kostka.exchange(held, items, _items._random(chance, len(items)))
            later, chance = chance.random(), random.Random(room)
            for item in items:
                i = int(chance.random() * room)
                taken.append(wanted[i])
                wanted[i] = item
            self.assertEqual((found, held, later), (taken, wanted, chance.random()))
        self.assertEqual(_kostka.exchange([], [], b""), [])

    def test_draw(self):
        held, wanted, chance = list(range(3000)), list(range(3000)), random.Random(3)
        found = [item for some in _items._drawn(held, chance) for item in some]
        chance, taken = random.Random(3), []
        while wanted:
            i = int(chance.random() * len(wanted))
            taken.append(wanted[i])
            wanted[i] = wanted[-1]
            wanted.pop()
        self.assertEqual((found, held), (taken, []))

    def test_misuse(self):
        for arguments in (([], [1], bytes(8)), ([1], [1], bytes(7)), ([1], [1], "x"), ((1,), [1], bytes(8))):
            self.assertRaises((ValueError, TypeError), _kostka.exchange, *arguments)
        for arguments in (([1], 2, bytes(16)), ([1], -1, b""), ([1], 1, bytes(9)), ((1,), 1, bytes(8))):
            self.assertRaises((ValueError, TypeError), _kostka.draw, *arguments)
        self.assertEqual(_kostka.exchange([1], [2], b"\xff" * 8), [1])


class Headers(WithFiles):
    """The members of archives, whatever their bytes."""

    def members(self, data):
        """The names, offsets and sizes of members, which have different keys, and what is wrong."""
        found, wrong = groups_of(self.put("members.tar", data), ("jpg", "gz", ""))
        return [(key + "." * (name != "") + name, *place) for key, (name, *place) in found], wrong

    def header(self, name=b"a.jpg", size=b"%011o" % 3, kind=b"0", magic=b"ustar\x0000", **fields):
        block = bytearray(512)
        for at, value in ((0, name), (124, size), (156, kind), (257, magic), (345, fields.get("prefix", b""))):
            block[at : at + len(value)] = value
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % fields.get("sum", sum(block))
        return bytes(block)

    def test_headers(self):
        data = b"abc" + bytes(509)
        for header, found in (
            (self.header(), ("a.jpg", 512, 3)),
            (self.header(prefix=b"d"), ("d/a.jpg", 512, 3)),
            (self.header(prefix=b"d", magic=b"ustar  \0"), ("a.jpg", 512, 3)),
            (self.header(name=b"n" * 100, prefix=b"p" * 155), ("p" * 155 + "/" + "n" * 100, 512, 3)),
            (self.header(size=b"\x80" + bytes(10) + b"\3"), ("a.jpg", 512, 3)),
            (self.header(size=b"         3 "), ("a.jpg", 512, 3)),
            (self.header(kind=b"\0", magic=b""), ("a.jpg", 512, 3)),
            (self.header(kind=b"7"), ("a.jpg", 512, 3)),
            (self.header(name=b"\xff.jpg"), ("\udcff.jpg", 512, 3)),
        ):
            self.assertEqual(self.members(header + data), ([found], None))
        for header in (self.header(kind=b"2", size=b"7777777"), self.header(kind=b"5"), self.header(kind=b"\0", name=b"a/")):
            left = data if b"\0ustar" in header and header[156:157] == b"\0" else b""
            self.assertEqual(self.members(header + left + self.header() + data)[0][-1][0], "a.jpg")

    def test_damage(self):
        data = b"abc" + bytes(509)
        for header, offset, reason in (
            (self.header(sum=1), 0, "no header"),
            (self.header(size=b"junk"), 0, "size is no number"),
            (self.header(size=b"\xff" * 12), 0, "size is no number"),
            (self.header(size=b"\x80" + b"\xff" * 11), 0, "size is no number"),
            (self.header(size=b"\x80\0\0\0\x7f" + b"\xff" * 7), 0, "longer than the rest"),
            (self.header(size=b"77777777777"), 0, "longer than the rest"),
            (self.header(kind=b"S"), 0, "sparse"),
            (self.header(kind=b"x"), 0, "pax"),
            (self.header(kind=b"L", size=b"%011o" % (1 << 17)) + bytes(1 << 17), 0, "too long"),
        ):
            found = self.members(header + data)
            self.assertEqual((found[0], found[1][0]), ([], offset))
            self.assertIn(reason, found[1][1])

    def test_pax(self):
        def archive(*records):
            text = b"".join(records)
            filled = text + bytes(-len(text) % 512)
            return self.header(kind=b"x", size=b"%011o" % len(text)) + filled + self.header() + b"abc" + bytes(509)

        self.assertEqual(self.members(archive(b"13 path=b.gz\n"))[0], [("b.gz", 1536, 3)])
        self.assertEqual(self.members(archive(b"10 size=2\n", b"12 uid=1234\n"))[0], [("a.jpg", 1536, 2)])
        for bad in (
            b"14 path=b.gz\n",
            b"12 path=b.gz\n",
            b"path=b.gz\n",
            b"0 path=b\n",
            b"99999999999999999999999 path=b\n",
            b"7 path\n",
            b"11 size=-2\n",
            b"29 size=18446744073709551615\n",
            b"22 GNU.sparse.major=1\n",
            b"4 =\n" + b"3 \n",
        ):
            found = self.members(archive(bad))
            self.assertEqual(found[0], [], bad)
            self.assertIsNotNone(found[1], bad)

    def test_noise(self):
        """Whatever is damaged, reading ends and gives members within the archive alone."""
        chance = random.Random(7)
        members = [(f"{i}/" + "x" * (60 * i), b"1" * 700 * i) for i in range(4)]
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            whole = archive_of(members, form)[:8192]
            for _ in range(300):
                data = bytearray(whole)
                header = 512 * chance.randrange(len(data) // 512)
                for _ in range(chance.randrange(1, 4)):
                    data[header + chance.randrange(512)] = chance.choice(b"0 7xLSg\0\x80\xff")
                if chance.random() < 0.7:
                    block = data[header : header + 512]
                    block[148:156] = b" " * 8
                    data[header + 148 : header + 156] = b"%06o\0 " % sum(block)
                for _, offset, size in self.members(bytes(data))[0]:
                    self.assertLessEqual(offset + size, len(data))


class Resources(WithFiles):
    def test_bounded(self):
        """No more batches are made than prefetch says, and nothing stays open."""
        made = collections.Counter()
        loader = self.load(self.archives * 20, prefetch=3, batch_size=4)
        make = loader._make
        loader._make = lambda *arguments: (made.update(["batch"]), make(*arguments))[1]
        before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
        batches = iter(loader)
        for count in range(1, 20):
            next(batches)
            self.assertLessEqual(made["batch"], count + 3)
        loader.close()
        self.assertRaises(StopIteration, next, batches)
        del batches
        if before:
            self.assertLessEqual(len(os.listdir("/proc/self/fd")), before)

    def test_ends_with_the_program(self):
        program = (
            "import kostka, sys\n"
            "loader = kostka.Loader(sys.argv[1:], 8, batch_size=2, device='cpu')\n"
            "print(next(iter(loader)).labels)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, *self.archives], capture_output=True, text=True, timeout=120
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[0, 1]\n", ""))


if __name__ == "__main__":
    unittest.main()
