# SPDX-License-Identifier: BSD-2-Clause
"""kostka.ray on a local cluster of Ray, for ./dev test-ray: files to Parquet, and a worker that is killed half-way."""

import io
import os
import pathlib
import signal
import tarfile
import tempfile
import unittest

import kostka
import kostka.ray
import pictures
import ray

COUNT = 60


def add(tar, name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


class KilledOnce(kostka.ray.Coder):
    """An actor that kills its process when it gets its first batch, if no other has done so before."""

    def __init__(self, mark, **options):
        super().__init__(**options)
        self.mark = mark

    def __call__(self, batch):
        try:
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().__call__(batch)
        os.kill(os.getpid(), signal.SIGKILL)


class Ray(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "in").mkdir()
        for i in range(COUNT):
            file = b"no picture" if i == 7 else kostka.encode(pictures.array(40 + i, 30, seed=i), device="cpu")
            (self.folder / "in" / f"{i:02}.jpg").write_bytes(file)

    def wanted(self):
        coder = kostka.Coder(encode={"codec": "jp2"}, device="cpu")
        paths = sorted((self.folder / "in").iterdir())
        return {str(path): one if isinstance(one, bytes) else None for path, one in zip(paths, coder(paths))}

    def run_pipeline(self, coder, **options):
        data = ray.data.read_binary_files(str(self.folder / "in"), include_paths=True)
        options = {"encode": {"codec": "jp2"}, "device": "cpu", **options}
        coded = data.map_batches(coder, fn_constructor_kwargs=options, batch_size=8, concurrency=1)
        coded.write_parquet(str(self.folder / "out"))
        rows = ray.data.read_parquet(str(self.folder / "out")).take_all()
        self.assertEqual(len(rows), COUNT)
        self.assertEqual({row["path"]: row["bytes"] for row in rows}, self.wanted())
        self.assertEqual(sum(row["error"] is not None for row in rows), 1)

    def test_parquet(self):
        self.run_pipeline(kostka.ray.Coder)

    def test_shards(self):
        """Archives of WebDataset's layout become others: keys and labels stay beside what is made of the pictures."""
        paths = sorted((self.folder / "in").iterdir())
        (self.folder / "shards").mkdir()
        for first in range(0, COUNT, 20):
            with tarfile.open(self.folder / "shards" / f"{first}.tar", "w") as tar:
                for path in paths[first : first + 20]:
                    add(tar, f"{path.stem}.jpg", path.read_bytes())
                    add(tar, f"{path.stem}.cls", path.stem.encode())
        options = {"column": "jpg", "result": "jp2", "encode": {"codec": "jp2"}, "device": "cpu"}
        data = ray.data.read_webdataset(str(self.folder / "shards"), decoder=None)
        coded = data.map_batches(kostka.ray.Coder, fn_constructor_kwargs=options, batch_size=8, concurrency=1)
        good = coded.filter(lambda row: row["error"] is None).drop_columns(["error"])
        good.write_webdataset(str(self.folder / "out"), encoder=None)
        found = {}
        for path in (self.folder / "out").iterdir():
            with tarfile.open(path) as tar:
                found |= {member.name: tar.extractfile(member).read() for member in tar}
        streams = {pathlib.Path(path).stem: stream for path, stream in self.wanted().items() if stream}
        wanted = {f"{key}.jp2": stream for key, stream in streams.items()} | {f"{key}.cls": key.encode() for key in streams}
        self.assertEqual(found, wanted)

    def test_from_parquet(self):
        rows = [{"path": str(path), "bytes": path.read_bytes()} for path in sorted((self.folder / "in").iterdir())]
        ray.data.from_items(rows).write_parquet(str(self.folder / "parquet"))
        data = ray.data.read_parquet(str(self.folder / "parquet"))
        options = {"encode": {"codec": "jp2"}, "device": "cpu"}
        coded = data.map_batches(kostka.ray.Coder, fn_constructor_kwargs=options, batch_size=8, concurrency=1)
        self.assertEqual({row["path"]: row["bytes"] for row in coded.take_all()}, self.wanted())

    def test_killed_worker(self):
        mark = str(self.folder / "killed")
        self.run_pipeline(KilledOnce, mark=mark)
        self.assertTrue(os.path.exists(mark))


if __name__ == "__main__":
    unittest.main(verbosity=2)
