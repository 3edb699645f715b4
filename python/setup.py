# SPDX-License-Identifier: BSD-2-Clause
"""Has CMake build the library and the extension; both are in the wheel.

CMAKE_ARGS: more for CMake. KOSTKA_PYTHON_BUILD: a build folder where all of it is built already.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = pathlib.Path(__file__).resolve().parent
top = here.parent


def version():
    text = (top / "include/kostka/kostka_version.h").read_text()
    return re.search(r'KST_VERSION_STRING "(.*)"', text).group(1)


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        ready = os.environ.get("KOSTKA_PYTHON_BUILD")
        folder = pathlib.Path(ready or pathlib.Path(self.build_temp, "cmake")).resolve()
        if not ready:
            self.run_cmake(folder)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / "python/kostka/_kostka.abi3.so", target)

    def run_cmake(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        options = [f"-DKOSTKA_{part}=OFF" for part in ("TOOLS", "TESTS", "EXAMPLES", "BENCH")]
        options += ["-DKOSTKA_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"]
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", str(top), "-B", str(folder), *options], check=True)
        build = ["cmake", "--build", str(folder), "--target", "kostka_python", "-j", str(os.cpu_count() or 1)]
        subprocess.run(build, check=True)


setup(
    version=version(),
    ext_modules=[Extension("kostka._kostka", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": BuildWithCMake},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    setup_requires=[tool for tool in ("cmake", "ninja") if not shutil.which(tool)],
)
