#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Builds the package of recipe.yaml without conda-forge, installs it in an environment and runs its tests:

    offline.py FOLDER

rattler-build (py-rattler-build) does what it does elsewhere. Its channel, in FOLDER, has a stand-in for each package that the
recipe requires. These are empty, so that the system's compiler and libraries serve; the one of Python is an environment of the
Python that runs this script. So the recipe, the script, the package's files and its tests are tested, and conda-forge's packages are
not. FOLDER/tests.log has the output of the tests.
"""

import hashlib
import json
import pathlib
import platform
import re
import shutil
import sys

import rattler_build

HERE = pathlib.Path(__file__).resolve().parent
SUBDIR = {"x86_64": "linux-64", "aarch64": "linux-aarch64"}[platform.machine()]
VERSION = "9999"  # of stand-ins, which must satisfy any "at least"
PYTHON = pathlib.Path(sys.base_prefix) / "bin" / "python3"


def requirements(rendered):
    """The names of the packages that the recipe wants, for building and for running."""
    wanted = rendered["requirements"]
    return {re.split(r"[ <>=!]", one)[0] for part in ("build", "host", "run") for one in wanted[part]}


def write_python(folder):
    """An environment that shares the system's packages, pip and setuptools among them."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {PYTHON.parent}\ninclude-system-site-packages = true\n")
    for name in ("python", "python3"):
        (folder / "bin" / name).symlink_to(PYTHON)


def write_channel(channel, names):
    """A channel of stand-ins with these names."""
    contents = channel / "contents"
    records = {}
    for name in sorted(names):
        version = VERSION
        files = contents / name
        if name == "python":
            version = "{}.{}.{}".format(*sys.version_info[:3])
            write_python(files)
        files.mkdir(parents=True, exist_ok=True)
        made = rattler_build.assemble_package(name, version, SUBDIR, "0", channel / SUBDIR, files_dir=files)
        data = pathlib.Path(made.path).read_bytes()
        records[pathlib.Path(made.path).name] = {
            "name": name, "version": version, "build": "0", "build_number": 0, "depends": [], "subdir": SUBDIR,
            "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "md5": hashlib.md5(data).hexdigest(),
        }  # fmt: skip
    for subdir, packages in ((SUBDIR, records), ("noarch", {})):
        (channel / subdir).mkdir(exist_ok=True)
        (channel / subdir / "repodata.json").write_text(
            json.dumps({"info": {"subdir": subdir}, "packages": {}, "packages.conda": packages})
        )


def check_files(package):
    """Whether the package has the library, its headers, the command, the libraries in place of others and the module."""
    files = set(package.files)
    wanted = ["bin/kostka", "lib/libkostka.so", "include/kostka/kostka.h", "lib/pkgconfig/kostka.pc", "lib/kostka/compat/libopenjp2.so.7"]
    missing = [name for name in wanted if name not in files]
    if not any(re.fullmatch(r"lib/python3\.\d+/site-packages/kostka/_kostka\.abi3\.so", name) for name in files):
        missing.append("kostka/_kostka.abi3.so")
    if missing:
        sys.exit(f"offline.py: the package lacks {', '.join(missing)}")
    return len(files)


def run_tests(package, channel, log):
    """Run the recipe's tests where the package is installed in an environment of its own."""
    results = package.run_tests(channel=[channel])
    log.write_text("\n".join(str(line) for result in results for line in result.output))
    failed = [result.test_index for result in results if not result.success]
    if failed or not results:
        sys.exit(f"offline.py: {len(failed)} of {len(results)} tests fail; their output is in {log}")
    return len(results)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    for old in ("channel", "out"):
        shutil.rmtree(folder / old, ignore_errors=True)
    [variant] = rattler_build.Stage0Recipe.from_file(HERE / "recipe.yaml").render(rattler_build.VariantConfig())
    write_channel(folder / "channel", requirements(variant.recipe.to_dict()))
    channel = (folder / "channel").as_uri()
    result = variant.run_build(channels=[channel], output_dir=folder / "out")
    package = rattler_build.Package.from_file(result.packages[0])
    files = check_files(package)
    tests = run_tests(package, channel, folder / "tests.log")
    print(f"{result.packages[0]}: {files} files, and {tests} tests pass")


main()
