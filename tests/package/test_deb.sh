#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A Debian package: where its files are, what it depends on, and that its command and its library work from there.
set -eu
build=$1
version=$2
soversion=$3
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
/usr/lib/libkostka.so.$soversion
/usr/lib/libkostka.so.$version
/usr/lib/libkostka_filters.a
/usr/lib/libkostka_filters.so
/usr/lib/libkostka_filters.so.$soversion
/usr/lib/libkostka_filters.so.$version
/usr/lib/pkgconfig/kostka.pc
/usr/lib/pkgconfig/kostka_filters.pc
/usr/share/bash-completion/completions/kostka
/usr/share/doc/kostka/CHANGELOG.md
/usr/share/doc/kostka/LICENSE
/usr/share/doc/kostka/README.md
/usr/share/fish/vendor_completions.d/kostka.fish
/usr/share/zsh/vendor-completions/_kostka
END
    [ ! -e "$build/compat/libjpeg.so.62" ] || echo /usr/lib/kostka/compat/libjpeg.so.62
    [ ! -e "$build/compat/libjpeg.so.8" ] || echo /usr/lib/kostka/compat/libjpeg.so.8 # as on Ubuntu
    [ ! -e "$build/compat/libopenjp2.so.7" ] || echo /usr/lib/kostka/compat/libopenjp2.so.7
    [ ! -e "$build/compat/libturbojpeg.so.0" ] || echo /usr/lib/kostka/compat/libturbojpeg.so.0
    (cd "$KOSTKA_SOURCE/docs/man" && printf '/usr/share/man/man1/%s\n' ./*.1 | sed 's,/\./,/,')
    (cd "$KOSTKA_SOURCE/include" && printf '/usr/include/%s\n' kostka/*.h)
} | sort >"$work/wanted"
# The library's folder may be that of the machine's triplet, and the build of another type.
sed -i "s,/usr/lib/[a-z0-9_]*-linux-gnu/,/usr/lib/,; s,Targets-[a-z]*\.cmake,Targets-release.cmake," "$work/found"
diff "$work/wanted" "$work/found" || fail 'the files of the package are not as expected'

# Each library that the command line loads is in the package that dpkg knows it in, and from a version on.
field() {
    dpkg-deb -f "$package" "$1"
}
grep -q -a 'libpng16\.so\.16' "$build/kostka" || fail 'the command does not name libpng'
grep -o -a 'lib\(archive\|avformat\|blosc\|deflate\|jansson\|png16\|tiff\|webp\|gif\|z\|zstd\)\.so\.[0-9]*' "$build/kostka" | sort -u >"$work/sonames"
: >"$work/owners"
while read -r soname; do
    owner=$(dpkg -S "*/$soname" | sed -n '1s/:.*//p')
    [ -n "$owner" ] || fail "no package has $soname"
    echo "$owner" >>"$work/owners"
    where=Recommends
    case $soname in
    libpng* | libdeflate* | libjansson*) where=Depends ;;
    libavformat* | libblosc* | libzstd*) where=Suggests ;;
    esac
    field $where | tr ',' '\n' | sed 's/^ *//; s/ .*//' | grep -q -x "$owner" ||
        fail "$where does not have $owner: $(field $where)"
done <"$work/sonames"
for library in libc6 libjansson4 libdeflate0; do
    field Depends | grep -q "$library" || fail "does not depend on $library: $(field Depends)"
done
field Recommends | grep -q 'libtiff6 (>= [0-9]' || fail "any version of libtiff will do: $(field Recommends)"
field Recommends | grep -q libc6 && fail "recommends what is needed: $(field Recommends)"

# On a system that has renamed libpng's package, as Ubuntu 24.04 has, the package is of that name.
package_of_png=$(dpkg -S '*/libpng16.so.16' | sed -n '1s/:.*//p')
mkdir -p "$work/dpkg/info" "$work/dpkg/updates"
sed "s/^\(Package\|Source\): $package_of_png\$/\1: libpng-renamed/" /var/lib/dpkg/status >"$work/dpkg/status"
cp /var/lib/dpkg/info/format "$work/dpkg/info/"
for file in /var/lib/dpkg/info/"$package_of_png":*; do
    name=${file##*/}
    sed "s/\b$package_of_png\b/libpng-renamed/g" "$file" >"$work/dpkg/info/libpng-renamed${name#"$package_of_png"}"
done
for pattern in '*/libavcodec.so.*' '*/libavutil.so.*' '*/libc.so.6'; do
    dpkg -S "$pattern" 2>/dev/null | sed 's/:.*//' >>"$work/owners" || true
done
grep -v -x "$package_of_png" "$work/owners" | sort -u >"$work/others"
while read -r other; do
    for file in /var/lib/dpkg/info/"$other":*; do
        [ ! -e "$file" ] || cp "$file" "$work/dpkg/info/"
    done
done <"$work/others"
printf '#!/bin/sh\nexec dpkg-shlibdeps --admindir=%s/dpkg "$@"\n' "$work" >"$work/shlibdeps"
chmod +x "$work/shlibdeps"
cmake -D KOSTKA_SHLIBDEPS="$work/shlibdeps" -P "$build/loaded.cmake" >"$work/renamed" 2>&1 || fail "$(cat "$work/renamed")"
grep -q 'DEPENDS:.* libpng-renamed (>= 1\.6' "$work/renamed" || fail "libpng is not found under another name: $(cat "$work/renamed")"
[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "version $(dpkg-deb -f "$package" Version)"
dpkg-deb -I "$package" shlibs >"$work/shlibs"
grep -q "^libkostka $soversion kostka" "$work/shlibs" || fail "shlibs does not name the library: $(cat "$work/shlibs")"
grep -q -e openjp2 -e 'libjpeg ' "$work/shlibs" && fail 'other packages would take OpenJPEG or libjpeg for one of this package'
dpkg-deb -x "$package" "$work/root"
[ "$("$work/root/usr/bin/kostka" --version)" = "kostka $version" ] || fail 'the command of the package does not work'
grep -q -a "$build" "$work/root/usr/bin/kostka" && fail 'the command has the path of the build in it'
exit 0
