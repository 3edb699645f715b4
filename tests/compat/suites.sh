#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the tests of other projects with their own libraries and with Kostka's in their place: suites.sh BUILD FOLDER [SUITE…]
#
# The sources are those that the system's libraries were built from, fetched from its package archive to FOLDER and never
# changed. Suites: libjpeg and turbojpeg (libjpeg-turbo), turbojpeg3 (TurboJPEG 3 of a later release of Debian, KOSTKA_LATER, with
# Kostka's library upon that version and upon the system's), libjpeg8 (libjpeg with the ABI of version 8.0, for which Kostka's
# library is built anew), openjpeg, pillow, plugin (Pillow with kostka.pillow.register() instead), programs (programs.sh: what
# programs of the system make). OpenJPEG's test data are not in the archive: OPJ_DATA_ROOT names a copy, otherwise
# those streams and references of T.803 are used that the corpus has. A test counts that passes with the original; whichever
# then fails with Kostka must be in suites.txt with the reason, or the script fails.
set -eu
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- libjpeg turbojpeg turbojpeg3 libjpeg8 openjpeg pillow plugin programs
jobs=$(nproc)
failed=0

say() {
    printf '· %s\n' "$*"
}

# quietly NAME COMMAND…: output to FOLDER/NAME.log, whose end is shown if the command fails.
quietly() {
    log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 30 "$log" >&2
    printf "suites.sh: '%s' failed; all of its output is in %s\n" "$*" "$log" >&2
    exit 1
}

# archive APT COMMAND…: apt-get with lists of sources of its own, in the folder APT, so that the system's are left alone.
# shellcheck disable=SC2317 # quietly calls it
archive() {
    apt=$1
    shift
    apt-get -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root -q "$@"
}

# fetch PACKAGE [RELEASE]: its source, of the system's release, in FOLDER/PACKAGE, or of another one, in FOLDER/PACKAGE-RELEASE.
fetch() {
    source=$1${2:+-$2}
    [ ! -d "$folder/$source" ] || return 0
    apt=$folder/apt${2:+-$2}
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
    if [ ! -f "$apt/sources.list" ]; then
        release=$(. /etc/os-release && echo "$VERSION_CODENAME")
        # shellcheck disable=SC2016 # apt-get expands it
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $release" | head -n 1)
        if [ -z "$mirror" ]; then
            echo "suites.sh: this machine's apt knows no archive of $release" >&2
            exit 1
        fi
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${2:-$release} main" \
            >"$apt/sources.list.part"
        mv "$apt/sources.list.part" "$apt/sources.list"
        quietly apt-update archive "$apt" update
    fi
    say "fetching the source of $source"
    (cd "$apt/sources" && quietly "fetch-$source" archive "$apt" source --download-only "$1")
    quietly "unpack-$source" dpkg-source --no-check -x "$apt/sources/$1"_*.dsc "$folder/$source.part"
    mv "$folder/$source.part" "$folder/$source"
}

# compare SUITE: what FOLDER/SUITE.theirs and .ours list as passed, a name a line.
compare() {
    sort -u "$folder/$1.theirs" -o "$folder/$1.theirs"
    sort -u "$folder/$1.ours" -o "$folder/$1.ours"
    comm -23 "$folder/$1.theirs" "$folder/$1.ours" >"$folder/$1.lost"
    if [ ! -s "$folder/$1.theirs" ]; then
        say "$1: no test passes with the original, so that nothing is compared; see the logs in $folder"
        failed=1
    fi
    say "$1: $(wc -l <"$folder/$1.theirs") tests pass with the original, $(comm -12 "$folder/$1.theirs" "$folder/$1.ours" | wc -l) of them with Kostka"
    while read -r name; do
        reason=$(awk -F '\t' -v suite="$1" -v name="$name" '!/^#/ && $1 == suite && name ~ ("^(" $2 ")$") { print $3; exit }' "$here/suites.txt")
        [ -n "$reason" ] || failed=1
        say "    $name: ${reason:-FAILS, and suites.txt does not say why}"
    done <"$folder/$1.lost"
}

# passed LOG: the names of tests that CTest says have passed.
passed() {
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) .* Passed .*/\1/p' "$1"
}

# run_ctest SUITE SIDE TREE PATTERN PATH: run tests with PATH in front of the libraries' search path. What libjpeg-turbo's tests have
# made before is removed, because some of them compare it.
run_ctest() {
    say "$1: running the tests, $2"
    rm -f "$3"/testout*
    LD_LIBRARY_PATH=$5 ctest --test-dir "$3" -R "$4" --timeout 600 >"$folder/$1-$2.log" 2>&1 || true
    passed "$folder/$1-$2.log" >"$folder/$1.$2"
}

# with_ctest SUITE TREE PATTERN THEIRS OURS: run tests with either folder in front of the libraries' search path.
with_ctest() {
    run_ctest "$1" theirs "$2" "$3" "$4"
    run_ctest "$1" ours "$2" "$3" "$5"
    compare "$1"
}

# jpeg_tree NAME SOURCE CMAKE-OPTION…: libjpeg-turbo's programs, which look for their library where the system says, and the library.
# The library there has no vector code, which would need an assembler; its bytes are the same.
jpeg_tree() {
    tree=$folder/$1
    source=$folder/$2
    shift 2
    say "building libjpeg-turbo's programs in $tree"
    quietly configure cmake -G Ninja -S "$source" -B "$tree" -DCMAKE_BUILD_TYPE=Release -DENABLE_STATIC=0 \
        -DWITH_JAVA=0 -DWITH_SIMD=0 -DCMAKE_SKIP_RPATH=ON "$@"
    quietly compile cmake --build "$tree" -j "$jobs"
}

suite_libjpeg() {
    fetch libjpeg-turbo
    jpeg_tree jpeg62 libjpeg-turbo
    export KOSTKA_LIBJPEG="$tree/libjpeg.so.62"
    with_ctest libjpeg "$tree" '^(cjpeg|djpeg|jpegtran|example).*-shared' "$tree" "$build/compat:$tree"
    unset KOSTKA_LIBJPEG
}

suite_turbojpeg() {
    fetch libjpeg-turbo
    jpeg_tree jpeg62 libjpeg-turbo
    export KOSTKA_LIBTURBOJPEG="$tree/libturbojpeg.so.0"
    with_ctest turbojpeg "$tree" '^tj.*-shared' "$tree" "$build/compat:$tree"
    unset KOSTKA_LIBTURBOJPEG
}

# Suite turbojpeg3 has TurboJPEG 3 as the original, turbojpeg3on2 the system's, which is of version 2 in Debian 12.
suite_turbojpeg3() {
    later=${KOSTKA_LATER:-forky}
    fetch libjpeg-turbo "$later"
    jpeg_tree jpeg3 "libjpeg-turbo-$later"
    say "turbojpeg3: TurboJPEG $(sed -n 's/^set(VERSION \(.*\))/\1/p' "$folder/libjpeg-turbo-$later/CMakeLists.txt")"
    KOSTKA_LIBTURBOJPEG="$tree/libturbojpeg.so.0"
    export KOSTKA_LIBTURBOJPEG
    with_ctest turbojpeg3 "$tree" '^tj.*-shared' "$tree" "$build/compat:$tree"
    unset KOSTKA_LIBTURBOJPEG
    cp "$folder/turbojpeg3.theirs" "$folder/turbojpeg3on2.theirs"
    run_ctest turbojpeg3on2 ours "$tree" '^tj.*-shared' "$build/compat:$tree"
    compare turbojpeg3on2
}

# The header is the same file for all ABIs; the configuration beside it tells them apart.
suite_libjpeg8() {
    fetch libjpeg-turbo
    jpeg_tree jpeg80 libjpeg-turbo -DWITH_JPEG8=1 -DWITH_TURBOJPEG=0
    mkdir -p "$tree/include"
    cp "$folder/libjpeg-turbo/jpeglib.h" "$folder/libjpeg-turbo/jmorecfg.h" "$folder/libjpeg-turbo/jerror.h" "$tree/jconfig.h" "$tree/include"
    say "building Kostka's libjpeg.so.8"
    quietly configure8 cmake -G Ninja -S "$here/../.." -B "$folder/kostka80" -DCMAKE_BUILD_TYPE=Release -DKOSTKA_CUDA_ARCHITECTURES= \
        -DLIBJPEG_INCLUDE_DIR="$tree/include" -DLIBJPEG_ORIGINAL="$tree/libjpeg.so.8" -DKOSTKA_TESTS=OFF
    quietly compile8 cmake --build "$folder/kostka80" -j "$jobs" --target kostka_libjpeg
    with_ctest libjpeg8 "$tree" '^(cjpeg|djpeg|jpegtran|example).*-shared' "$tree" "$folder/kostka80/compat:$tree"
    nm -D --with-symbol-versions --defined-only "$tree/libjpeg.so.8" | sed 's/^[^ ]* . //' | sort >"$folder/theirs.names"
    nm -D --with-symbol-versions --defined-only "$folder/kostka80/compat/libjpeg.so.8" | sed 's/^[^ ]* . //' | sort >"$folder/ours.names"
    if diff "$folder/theirs.names" "$folder/ours.names"; then
        say 'libjpeg8: the libraries have the same symbols and versions'
    else
        say 'libjpeg8: the libraries have other symbols (<: the original)'
        failed=1
    fi
}

# The files of the corpus, named as OpenJPEG's data are.
corpus_data() {
    corpus=${KOSTKA_CORPUS:-$here/../../../shared/corpus}/jpeg2000
    data=$folder/data
    mkdir -p "$data/input/conformance" "$data/input/nonregression" "$data/baseline/conformance" "$data/baseline/nonregression"
    cp -f "$corpus"/streams/* "$data/input/conformance"
    cp -f "$corpus"/references/* "$data/baseline/conformance"
}

suite_openjpeg() {
    fetch openjpeg2
    data=${OPJ_DATA_ROOT:-}
    [ -n "$data" ] || corpus_data
    tree=$folder/openjpeg
    say "building OpenJPEG's programs in $tree, for the data in $data"
    quietly configure cmake -G Ninja -S "$folder/openjpeg2" -B "$tree" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON \
        -DCMAKE_SKIP_RPATH=ON "-DOPJ_DATA_ROOT=$data"
    quietly compile cmake --build "$tree" -j "$jobs"
    with_ctest openjpeg "$tree" . "$tree/bin" "$build/compat:$tree/bin"
}

# pillow_tests SUITE SIDE PATH [OPTION…]: those of the formats that the libraries serve, by the system's Python and Pillow.
pillow_tests() {
    suite=$1 side=$2 path=$3
    shift 3
    say "$suite: running the tests, $side"
    (
        cd "$folder/pillow"
        LD_LIBRARY_PATH=$path PYTHONPATH="$folder/pytest:$build/python" /usr/bin/python3 -m pytest -q -rA --color=no \
            -p no:cacheprovider "$@" \
            Tests/test_file_jpeg.py Tests/test_file_jpeg2k.py Tests/test_file_mpo.py Tests/test_file_libtiff.py \
            Tests/test_file_libtiff_small.py Tests/test_file_tiff.py Tests/test_file_tiff_metadata.py Tests/test_tiff_crashes.py \
            Tests/test_image_draft.py Tests/test_imagefile.py Tests/test_file_blp.py Tests/test_file_icns.py >"$folder/$suite-$side.log" 2>&1 || true
    )
    sed -n 's/^PASSED //p' "$folder/$suite-$side.log" | tr ' ' _ >"$folder/$suite.$side"
}

need_pillow() {
    fetch pillow
    if [ ! -d "$folder/pytest" ]; then
        quietly pytest /usr/bin/python3 -m pip install -q --root-user-action=ignore --target "$folder/pytest.part" pytest
        mv "$folder/pytest.part" "$folder/pytest"
    fi
}

suite_pillow() {
    need_pillow
    pillow_tests pillow theirs ''
    pillow_tests pillow ours "$build/compat"
    compare pillow
}

# With the system's libraries and kostka.pillow.register().
suite_plugin() {
    need_pillow
    printf 'import kostka.pillow\n\nkostka.pillow.register()\n' >"$folder/pytest/registered.py"
    pillow_tests plugin theirs ''
    pillow_tests plugin ours '' -p registered
    compare plugin
}

suite_programs() {
    sh "$here/programs.sh" "$build" "$folder/programs" || failed=1
}

for suite in "$@"; do
    case $suite in
    libjpeg) suite_libjpeg ;;
    turbojpeg) suite_turbojpeg ;;
    turbojpeg3) suite_turbojpeg3 ;;
    libjpeg8) suite_libjpeg8 ;;
    openjpeg) suite_openjpeg ;;
    pillow) suite_pillow ;;
    plugin) suite_plugin ;;
    programs) suite_programs ;;
    *)
        echo "suites.sh: there is no suite $suite" >&2
        exit 2
        ;;
    esac
done
exit $failed
