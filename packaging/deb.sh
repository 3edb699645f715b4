#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the Debian packages of a source tree and tests them as they are installed: deb.sh SOURCE FOLDER
#
# With mmdebstrap, and as root, the packages are built in a fresh root of Debian with nothing but their build
# dependencies, and tested in another with nothing but theirs. Roots are kept in FOLDER as tar archives and used again
# until they are a week old. Otherwise they are built on this system, and tested where they are unpacked.
# KOSTKA_SUITE names the release of Debian, by default this system's.
set -eu
source=$1
folder=$2
suite=${KOSTKA_SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
mkdir -p "$folder"
folder=$(realpath "$folder")
source=$(realpath "$source")
roots=$(mktemp -d "$folder/roots.XXXXXX")
packages=$folder/packages
mounted=

leave() {
    for root in $mounted; do
        umount "$root/proc" || true
    done
    case $roots in
    "$folder"/roots.?*) rm -rf --one-file-system "$roots" ;;
    esac
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

say() {
    printf '· %s\n' "$*"
}

fail() {
    printf 'deb.sh: %s\n' "$*" >&2
    exit 1
}

# quietly NAME COMMAND…: output to FOLDER/NAME.log, whose end is shown if the command fails.
quietly() {
    log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 60 "$log" >&2
    fail "'$*' failed; all of its output is in $log"
}

clean_root_reason() {
    if [ "$(id -u)" != 0 ]; then
        echo 'this is not root'
    elif ! command -v mmdebstrap >/dev/null; then
        echo 'mmdebstrap is not installed'
    elif ! unshare --mount true 2>/dev/null; then
        echo 'nothing may be mounted here'
    fi
}

# is_recent ARCHIVE: whether the archive of a root is less than a week old.
is_recent() {
    [ -n "$(find "$1" -mtime -7 2>/dev/null)" ]
}

# base: the archive of a minimal root.
base() {
    archive=$folder/$suite.tar
    ! is_recent "$archive" || return 0
    say "making a root of $suite (log: $folder/base.log)"
    quietly base mmdebstrap --format=tar --variant=apt "$suite" "$archive.part"
    mv "$archive.part" "$archive"
}

# fresh NAME ARCHIVE: unpack a root, and let it see the network and its processes.
fresh() {
    root=$roots/$1
    mkdir "$root"
    tar -C "$root" -xf "$2"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # start no services
    chmod +x "$root/usr/sbin/policy-rc.d"
    mount -t proc proc "$root/proc"
    mounted="$mounted $root"
}

within() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
        DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:-}" \
        chroot "$root" sh -c "$1"
}

# build_root: a root with the build dependencies, of an archive for this debian/control or of the minimal one.
build_root() {
    archive=$folder/$suite-build-$(cksum <"$source/debian/control" | cut -d ' ' -f 1).tar
    if is_recent "$archive"; then
        fresh build "$archive"
        return
    fi
    fresh build "$folder/$suite.tar"
    mkdir -p "$root/build/kostka"
    cp -a "$source/debian" "$root/build/kostka"
    say "installing the build dependencies in a fresh root (log: $folder/depends.log)"
    quietly depends within 'apt-get update -q && apt-get install -q -y --no-install-recommends build-essential &&
        apt-get build-dep -q -y --no-install-recommends /build/kostka && apt-get clean'
    rm -r "$root/build"
    tar -C "$root" --one-file-system -cf "$archive.part" .
    mv "$archive.part" "$archive"
}

build_in_root() {
    build_root
    mkdir "$root/build"
    cp -a "$source" "$root/build/kostka"
    say "building (log: $folder/build.log)"
    quietly build within 'cd /build/kostka && dpkg-buildpackage -b -us -uc'
    built=$root/build
}

build_here() {
    cp -a "$source" "$roots/kostka"
    say "building on this system (log: $folder/build.log)"
    quietly build env PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd '$roots/kostka' && dpkg-buildpackage -b -us -uc"
    built=$roots
}

keep_packages() {
    rm -rf "$packages.part"
    mkdir "$packages.part"
    cp "$built"/*.deb "$built"/*.changes "$built"/*.buildinfo "$packages.part"
    rm -rf "$packages"
    mv "$packages.part" "$packages"
}

check_with_lintian() {
    if ! command -v lintian >/dev/null; then
        say 'lintian is not installed: not checked'
        return
    fi
    # The packages are not uploaded to Debian, so that there is no report of the wish for them to close.
    quietly lintian lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --display-info "$packages"/*.changes
    [ ! -s "$folder/lintian.log" ] || fail "lintian complains: $(cat "$folder/lintian.log")"
    say 'lintian has no complaints'
}

tests() {
    sed -n 's/^Tests: //p' "$source/debian/tests/control"
}

# depends_of_tests: the packages that tests need, but ours, one a line.
depends_of_tests() {
    sed -n 's/^Depends: //p' "$source/debian/tests/control" | tr -d ' ' | tr ',' '\n' | sort -u | grep -v kostka
}

test_in_root() {
    fresh test "$folder/$suite.tar"
    mkdir -p "$root/packages" "$root/source"
    cp "$packages"/*.deb "$root/packages"
    rm -f "$root"/packages/*-dbgsym_*.deb
    cp -a "$source/debian" "$source/tests" "$root/source"
    say "installing the packages in a fresh root (log: $folder/install.log)"
    # shellcheck disable=SC2046 # names of packages are words
    quietly install within "apt-get update -q && apt-get install -q -y --no-install-recommends /packages/*.deb $(depends_of_tests | tr '\n' ' ')"
    for name in $(tests); do
        quietly "test-$name" within "/source/debian/tests/$name"
        say "$name: $(tail -n 1 "$folder/test-$name.log")"
    done
    quietly remove within 'apt-get purge -q -y "*kostka*" && ! find /usr /etc /var/lib/gstreamer* -path "*kostka*" 2>/dev/null | grep .'
    say 'purging the packages leaves nothing'
}

test_unpacked() {
    root=$roots/test
    for package in "$packages"/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    lib=$root/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
    for name in $(tests); do
        quietly "test-$name" env PATH="$root/usr/bin:$PATH" LD_LIBRARY_PATH="$lib" PKG_CONFIG_PATH="$lib/pkgconfig" \
            CMAKE_PREFIX_PATH="$root/usr" PYTHONPATH="$root/usr/lib/python3/dist-packages" \
            GST_PLUGIN_PATH="$lib/gstreamer-1.0" "$source/debian/tests/$name"
        say "$name: $(tail -n 1 "$folder/test-$name.log")"
    done
}

reason=$(clean_root_reason)
if [ -z "$reason" ]; then
    base
    build_in_root
    keep_packages
    check_with_lintian
    test_in_root
else
    say "no clean root: $reason"
    build_here
    keep_packages
    check_with_lintian
    test_unpacked
fi
say "the packages are in $packages"
