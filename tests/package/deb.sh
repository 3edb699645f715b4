#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A Debian package: where its files are, what it depends on, and that its command and its library work from there.
set -eu
build=$1
version=$2
for tool in dpkg-deb dpkg-shlibdeps cpack; do
    command -v "$tool" >/dev/null || {
        echo "no $tool"
        exit 77
    }
done
unset KOSTKA_THREADS KOSTKA_CPU KOSTKA_DEVICE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

(cd "$build" && cpack -G DEB -B "$work") >"$work/log" 2>&1 || fail "cpack: $(cat "$work/log")"
package=$work/kostka_${version}_$(dpkg --print-architecture).deb
[ -s "$package" ] || fail "no package: $(ls "$work")"
dpkg-deb --fsys-tarfile "$package" | tar -t | sed 's,^\./,/,' | grep -v '/$' | sort >"$work/found"
{
    cat <<END
/usr/bin/kostka
/usr/lib/cmake/kostka/kostkaConfig.cmake
/usr/lib/cmake/kostka/kostkaConfigVersion.cmake
/usr/lib/cmake/kostka/kostkaTargets-release.cmake
/usr/lib/cmake/kostka/kostkaTargets.cmake
/usr/lib/libkostka.a
/usr/lib/libkostka.so
/usr/lib/libkostka.so.${version%%.*}
/usr/lib/libkostka.so.$version
/usr/lib/pkgconfig/kostka.pc
/usr/share/bash-completion/completions/kostka
/usr/share/doc/kostka/CHANGELOG.md
/usr/share/doc/kostka/LICENSE
/usr/share/doc/kostka/README.md
/usr/share/fish/vendor_completions.d/kostka.fish
/usr/share/zsh/vendor-completions/_kostka
END
    (cd "$KOSTKA_SOURCE/docs/man" && printf '/usr/share/man/man1/%s\n' ./*.1 | sed 's,/\./,/,')
    (cd "$KOSTKA_SOURCE/include" && printf '/usr/include/%s\n' kostka/*.h)
} | sort >"$work/wanted"
# The library's folder may be that of the machine's triplet, and the build of another type.
sed -i "s,/usr/lib/[a-z0-9_]*-linux-gnu/,/usr/lib/,; s,Targets-[a-z]*\.cmake,Targets-release.cmake," "$work/found"
diff "$work/wanted" "$work/found" || fail 'the files of the package are not as expected'

for library in libc6 libpng16 libjansson4; do
    dpkg-deb -f "$package" Depends | grep -q "$library" || fail "does not depend on $library: $(dpkg-deb -f "$package" Depends)"
done
for library in libtiff libwebp libgif; do
    dpkg-deb -f "$package" Recommends | grep -q "$library" || fail "does not recommend $library"
done
[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "version $(dpkg-deb -f "$package" Version)"
dpkg-deb -x "$package" "$work/root"
[ "$("$work/root/usr/bin/kostka" --version)" = "kostka $version" ] || fail 'the command of the package does not work'
grep -q -a "$build" "$work/root/usr/bin/kostka" && fail 'the command has the path of the build in it'
exit 0
