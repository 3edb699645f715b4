#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that pip makes a wheel for the stable ABI and installs it, without a network, and with the library as already
# built.
set -eu
python=$1
KOSTKA_PYTHON_BUILD=$2
export KOSTKA_PYTHON_BUILD
unset PYTHONPATH KOSTKA_THREADS KOSTKA_CPU KOSTKA_DEVICE
"$python" -c 'import setuptools, wheel, pip' 2>/dev/null || {
    echo "pip, setuptools or wheel is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/checkout"
cp -r "$KOSTKA_SOURCE/python" "$KOSTKA_SOURCE/include" "$KOSTKA_SOURCE/LICENSE" "$work/checkout"

cd "$work/checkout"
"$python" -m pip wheel --no-index --no-build-isolation --no-deps -w "$work/wheels" ./python
ls "$work/wheels"/kostka-*-cp311-abi3-linux_*.whl
"$python" -m pip install --no-index --no-deps --target "$work/site" "$work/wheels"/*.whl

cd "$work"
PYTHONPATH=$work/site "$python" - <<'END'
import importlib.metadata, pathlib, kostka
meta = importlib.metadata.metadata("kostka")
assert {"numpy", "pillow", "zarr"} <= set(meta.get_all("Provides-Extra"))
assert "kostka.decode(" in (meta["Description"] or meta.get_payload())
assert any(file.name == "LICENSE" for file in importlib.metadata.files("kostka"))
folder = pathlib.Path(kostka.__file__).parent
assert (folder / "py.typed").exists() and (folder / "__init__.pyi").exists()
data = kostka.encode(memoryview(bytes(64 * 64 * 3)).cast("B", (64, 64, 3)))
assert kostka.decode(data).shape == (64, 64, 3)
print("kostka", kostka.__version__, "from", folder)
END
