#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Dependencies point one way: which rooms a room may include, as docs/architecture.md says.
set -u
cd "$KOSTKA_SOURCE" || exit 1
failed=0
allow() {
    room=$1
    shift
    pattern=
    for other in "$@"; do
        pattern="$pattern${pattern:+|}$other/"
    done
    found=$(grep -rnE '#include "[a-z0-9_]+/' "$room" --include='*.[ch]' --exclude-dir=build | grep -vE "#include \"($pattern)")
    [ -z "$found" ] && return
    echo "$room may include $* only:"
    echo "$found"
    failed=1
}
allow src/core core
allow src/image image core
allow src/jpeg jpeg image core
allow src/j2k j2k image core
allow src/cpu cpu kernels jpeg j2k image core
allow src/gpu gpu kernels jpeg j2k image core
allow src/gl gl image core
allow src/api api gl gpu cpu jpeg j2k image core
allow tools files peers
allow fuzz j2k core
allow examples none
allow python none
[ -n "$(find src/cpu -name '*.c')" ] || failed=1
# An example is read in one go.
for file in examples/*.[ch] examples/*.py; do
    [ "$(wc -l <"$file")" -lt 150 ] && continue
    echo "$file has 150 lines or more"
    failed=1
done
exit "$failed"
