# SPDX-License-Identifier: BSD-2-Clause
"""The type stubs against the package, and against programs that use it; with mypy."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import kostka

GOOD = """
import io
import pathlib
import kostka

def show(path: pathlib.Path) -> int:
    image = kostka.decode(path, format="rgb", reduce=1, region=(0, 0, 8, 8), layers=2, components=None)
    first: kostka.Image = kostka.decode_batch([path, b"", io.BytesIO()])[0]
    for one in kostka.decode_batch([path], errors="return"):
        if isinstance(one, kostka.KostkaError):
            print(one.status, one.offset, one.index)
        else:
            print(one.shape, one[3, 4], one[1:3].copy())
    data: bytes = kostka.encode(image, quality=90, subsampling="4:2:0", progressive=True)
    kostka.encode(image, codec="jp2", rate=(0.5, 1), tiles=512, style=["bypass"], component={"component": 1, "levels": 2})
    kostka.save("out.jp2", first, psnr=40, poc=[("LRCP", (0, 2)), "RPCL"])
    image.save(path, quality=3)
    kostka.filter(image, "invert", out=bytearray(3), stream=0, device="cpu").save(path)
    kostka.resize(image, (3, 4), filter="box", box=(0, 0.5, 1.5, 1), fit="cover").save(path)
    kostka.transcode(data, transform="rotate_90", restart="keep")
    with kostka.flow([path, data], decode={"format": "grey"}, errors="return") as results:
        print(results.counts()["items"], [one for one in results])
    batch: kostka.Tensor = kostka.decode_resized([path, data], (8, 8), boxes=[None, (0, 0, 1, 1)], mirror=[True, False])
    print(batch.shape, batch[0].width, batch[1:].errors)
    loader = kostka.Loader(path, 224, crop="random", scale=(0.1, 1), shuffle=True, shard="auto", dtype="float16", mean=3)
    loader.load_state_dict(loader.state_dict())
    for images, labels in loader:
        print(len(loader), images, labels)
    with kostka.Context("cpu", threads=2) as context:
        context.submit([data]).wait()
    return kostka.info(data).width + len(image) + image.report.warnings
"""

BAD = (
    ('kostka.decode(b"", format="yuv")', 'kostka.decode(b"", format="rgb")'),
    ('kostka.decode(b"", colour="grey")', 'kostka.decode(b"", strict=True)'),
    ("kostka.decode(3)", 'kostka.decode("3")'),
    ('kostka.encode(b"", qualty=3)', 'kostka.encode(b"", quality=3)'),
    ('kostka.encode(b"", subsampling="421")', 'kostka.encode(b"", subsampling="422")'),
    ('kostka.save("a", b"", progression="ABCD")', 'kostka.save("a", b"", progression="LRCP")'),
    ('kostka.resize(b"", 3, filter="nearest")', 'kostka.resize(b"", 3, filter="lanczos")'),
    ('kostka.decode_resized([b""], 3, fit="inside")', 'kostka.decode_resized([b""], 3, fit="cover")'),
    ('kostka.Loader("a", 3, dtype="uint16")', 'kostka.Loader("a", 3, dtype="uint8")'),
    ('kostka.transcode(b"", quality=3)', 'kostka.transcode(b"", crop=(1, 2, 3, 4))'),
    ('kostka.flow([b""], encode={"qualty": 3})', 'kostka.flow([b""], encode={"quality": 3})'),
    ("kostka.flow([3])", 'kostka.flow(["3"])'),
    ('kostka.decode(b"").pixels', 'kostka.decode(b"").planes'),
    ('kostka.decode(b"")["red"]', 'kostka.decode(b"")[0, 0]'),
    ('kostka.decode(b"")[1:3].pixels', 'kostka.decode(b"")[1:3].planes'),
    ('kostka.decode(b"")[1:3, 2:4].pixels', 'kostka.decode(b"")[1:3, 2:4].planes'),
    ('kostka.decode(b"")[0, 2:4].pixels', 'kostka.decode(b"")[0, 2:4].planes'),
)


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Typing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(pathlib.Path(kostka.__file__).parent, self.folder / "kostka")
        beside = pathlib.Path(importlib.util.find_spec("mypy").origin).parent.parent  # mypy may be in a folder of packages
        paths = os.pathsep.join((str(self.folder), str(beside)))
        self.environment = {**os.environ, "PYTHONPATH": paths, "MYPY_CACHE_DIR": str(self.folder / "cache")}
        self.environment.pop("PYTHONMALLOC", None)  # the debug allocator is not for mypy

    def run_module(self, *arguments):
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=self.environment, timeout=600
        )
        return done.returncode, done.stdout + done.stderr

    def check(self, **programs):
        for name, lines in programs.items():
            (self.folder / f"{name}.py").write_text("\n".join(lines) + "\n")
        return self.run_module("mypy", "--strict", *(f"{name}.py" for name in programs))

    def test_stubs_are_complete(self):
        """Before Python 3.12 the buffer protocol has no method that can be seen, and PyTorch may be missing. What is derived
        from classes of packages that say nothing of their types cannot be compared."""
        allowed = ["kostka\\.(Image|Tensor|Volume)\\.__buffer__", "kostka\\.(torch|numcodecs\\.Kostka|_dicom_collections\\.Collections.*)"]
        (self.folder / "allowed").write_text("\n".join(allowed) + "\n")
        (self.folder / "config").write_text("[mypy]\nignore_missing_imports = True\n")
        options = ["--ignore-missing-stub", "--ignore-unused-allowlist", "--mypy-config-file", "config"]
        code, said = self.run_module("mypy.stubtest", "kostka", "--allowlist", "allowed", *options)
        self.assertEqual(code, 0, said)

    def test_programs(self):
        right = ["import kostka", *[good for _, good in BAD]]
        wrong = ["import kostka", *[bad for bad, _ in BAD]]
        code, said = self.check(good=[GOOD], right=right, wrong=wrong)  # one call: mypy takes long to begin
        self.assertNotEqual(code, 0, said)
        for line in range(2, len(BAD) + 2):
            self.assertIn(f"wrong.py:{line}: error", said, BAD[line - 2][0])
        others = [line for line in said.splitlines() if not line.startswith(("wrong.py:", "Found "))]
        self.assertEqual(others, [])


if __name__ == "__main__":
    unittest.main()
