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
        pattern="$pattern${pattern:+|}$other"
    done
    case $room in # a folder's run/ has a line of its own
    */run) other=build ;;
    *) other=run ;;
    esac
    found=$(grep -rnE '#include "[a-z0-9_]+/' "$room" --include='*.[ch]' --exclude-dir=build --exclude-dir="$other" | grep -vE "#include \"($pattern)[/\"]")
    [ -z "$found" ] && return
    echo "$room may include $* only:"
    echo "$found"
    failed=1
}
allow src/core core
allow src/image image core
allow src/device device image core
allow src/kernels kernels
allow src/jpeg/plan jpeg/plan image core
allow src/jpeg/syntax jpeg/syntax jpeg/plan image core
allow src/jpeg/cpu jpeg/cpu jpeg/syntax jpeg/plan image core
allow src/jpeg/gpu jpeg/gpu jpeg/kernels jpeg/syntax jpeg/plan device image core
allow src/jpeg/run jpeg/run jpeg/gpu jpeg/cpu jpeg/syntax jpeg/plan run device image core
allow src/jpeg/kernels jpeg/kernels kernels
allow src/j2k/plan j2k/plan core
allow src/j2k/syntax j2k/syntax j2k/plan core
allow src/j2k/packets j2k/packets j2k/syntax j2k/plan image core
allow src/j2k/write j2k/write j2k/packets j2k/syntax j2k/plan core
allow src/j2k/rate j2k/rate j2k/write j2k/plan core
allow src/j2k/cpu j2k/cpu j2k/kernels/mq_rows.h j2k/rate j2k/write j2k/packets j2k/syntax j2k/plan image core jpeg/cpu/dsp
allow src/j2k/gpu j2k/gpu j2k/kernels j2k/syntax j2k/plan device image core
allow src/j2k/run j2k/run j2k/gpu j2k/cpu j2k/rate j2k/write j2k/packets j2k/syntax j2k/plan run device image core
allow src/j2k/kernels j2k/kernels kernels
allow src/run run device image core
allow src/gl gl image core
allow src/gl/run gl run device image core
allow src/api api run gl device image core
allow tools files peers
allow fuzz j2k core
allow examples none
allow python none
[ -n "$(find src/jpeg/cpu -name '*.c')" ] || failed=1
# src/api has entry points and nothing else: no function for other rooms, and no header.
defined=$(grep -hE '^[a-z].*kst_[a-z0-9_]+\(' src/api/*.c | grep -v '^static' | sed 's/.*\(kst_[a-z0-9_]*\)(.*/\1/')
for name in $defined; do
    grep -qE "^KST_API .*[ *]$name\(" include/kostka/*.h && continue
    echo "src/api has $name(), which is no entry point"
    failed=1
done
if [ -n "$(find src/api -name '*.h')" ]; then
    echo "src/api has headers"
    failed=1
fi
# An example is read in one go.
for file in examples/*.[ch] examples/*.py; do
    [ "$(wc -l <"$file")" -lt 150 ] && continue
    echo "$file has 150 lines or more"
    failed=1
done
exit "$failed"
