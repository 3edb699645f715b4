# SPDX-License-Identifier: BSD-2-Clause
"""The examples of docs/python.md, in turn and in one namespace. Those that need a GPU are compiled only."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import tempfile
import unittest

import kostka
import pictures

DOCUMENT = pathlib.Path(os.environ.get("KOSTKA_SOURCE", pathlib.Path(__file__).parents[2])) / "docs/python.md"


def examples():
    """(line, needs, code) of each block in Python."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for block in re.finditer(r"^```python ?(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start(2)) + 1, block[1], block[2]


@unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
class Documents(unittest.TestCase):
    def test_examples(self):
        has_pillow = importlib.util.find_spec("PIL") is not None
        has = {"": True, "pillow": has_pillow, "hdf5": importlib.util.find_spec("h5py") is not None}
        self.assertEqual({needs for _, needs, _ in examples()}, {*has, "cuda", "dicom", "zarr"})
        names = {}
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            os.chdir(folder)
            kostka.save("photo.jpg", pictures.array(512, 512))
            if not has_pillow:
                kostka.save("thumbnail.jpg", pictures.array(160, 120))
            for line, needs, code in examples():
                compiled = compile("\n" * (line - 1) + code, str(DOCUMENT), "exec")
                if has.get(needs):
                    exec(compiled, names)
            written = set(os.listdir())
            os.chdir("/")
        self.assertLessEqual({"small.jpg", "layers.j2k", "part.jpg", "thumbnail.jpg"}, written)
        self.assertIn("ERROR_", printed.getvalue())

    def test_every_option_is_documented(self):
        """The docstrings and the stubs name the same options."""
        stubs = (pathlib.Path(kostka.__file__).parent / "__init__.pyi").read_text()
        for function, table in (
            (kostka.decode, "_DecodeOptions"),
            (kostka.encode, "_SaveOptions"),
            (kostka.resize, "_ResizeOptions"),
            (kostka.decode_resized, "_ResizedOptions"),
            (kostka.transcode, "_TranscodeOptions"),
            (kostka.encode_volume, "_EncodeVolumeOptions"),
            (kostka.decode_volume, "_DecodeVolumeOptions"),
        ):
            body = re.search(rf"class {table}\(.*?\n\n", stubs, re.DOTALL)[0]
            for name in re.findall(r"^    (\w+):", body, re.MULTILINE):
                spelled = {"optimise": "optimize"}.get(name, name)
                self.assertRegex(function.__doc__, rf"\b{spelled}\b", f"{function.__name__}: {name}")


if __name__ == "__main__":
    unittest.main()
