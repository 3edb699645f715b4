# SPDX-License-Identifier: BSD-2-Clause
"""kostka.ray on a local cluster of Ray, for ./dev test-ray: files to Parquet, and a worker that is killed half-way."""

import os
import pathlib
import signal
import tempfile
import unittest

import kostka
import kostka.ray
import pictures
import ray

COUNT = 60


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

    def test_killed_worker(self):
        mark = str(self.folder / "killed")
        self.run_pipeline(KilledOnce, mark=mark)
        self.assertTrue(os.path.exists(mark))


if __name__ == "__main__":
    unittest.main(verbosity=2)
