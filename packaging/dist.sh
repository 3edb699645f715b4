#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the release archive of the commit that is checked out, its SBOM and their SHA-256 sums: dist.sh FOLDER
#
# The bytes depend on the commit alone: names, order and times are those of git, and times in the SBOM are the commit's.
set -eu
folder=$1
here=$(dirname "$(realpath "$0")")
cd "$here/.."

fail() {
    printf 'dist.sh: %s\n' "$*" >&2
    exit 1
}

git rev-parse --verify -q HEAD >/dev/null || fail 'this is no checkout of git: a release is made of a commit'
[ -n "${KOSTKA_DIST_DIRTY:-}" ] || [ -z "$(git status --porcelain)" ] ||
    fail 'there are changes that are not committed: commit them, or set KOSTKA_DIST_DIRTY=1 to leave them out'
version=$(sed -n 's/.*KST_VERSION_STRING "\(.*\)".*/\1/p' include/kostka/kostka_version.h)
name=kostka-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

mkdir -p "$folder"
folder=$(realpath "$folder")
work=$(mktemp -d "$folder/part.XXXXXX")
trap 'rm -rf "$work"' EXIT
git archive --format=tar --prefix="$name/" HEAD >"$work/$name.tar"
xz -9 --threads=1 --keep "$work/$name.tar"
python3 "$here/sbom.py" "$work/$name.tar" "$name.tar.xz" "$(sha256sum "$work/$name.tar.xz" | cut -d ' ' -f 1)" \
    "$version" >"$work/$name.spdx.json"
rm "$work/$name.tar"
(cd "$work" && sha256sum "$name.spdx.json" "$name.tar.xz" >SHA256SUMS)
mv "$work/$name.tar.xz" "$work/$name.spdx.json" "$work/SHA256SUMS" "$folder"
