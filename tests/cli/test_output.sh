#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Outputs appear whole or not at all.
. "$KOSTKA_SOURCE/tests/cli/library.sh"

picture 64 48 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
"$KOSTKA" decode a.jpg a.png || fail 'cannot decode'

# Each verb that writes: a folder that is not there, a folder in place of a file, a file that cannot be had.
for call in 'decode a.jpg ppm' 'encode a.ppm jpg' 'transcode a.jpg jpg' 'convert a.ppm png' 'convert a.ppm tif'; do
    # shellcheck disable=SC2086 # words
    set -- $call
    mkdir -p "place/taken.$3"
    expect 1 "$KOSTKA" "$1" "$2" "missing/new.$3"
    says 'missing/new\|cannot create\|a\.'
    expect 1 "$KOSTKA" "$1" "$2" "place/taken.$3"
    says 'is a directory'
    expect 1 "$KOSTKA" "$1" "not-there.$3" "place/new.$3"
    says 'No such file'
    (cd place && only "taken.$3") || failures=$((failures + 1))
    rmdir "place/taken.$3"
done

if [ -w /dev/full ]; then
    for call in 'decode a.jpg ppm' 'decode a.jpg png' 'encode a.ppm jpeg' 'transcode a.jpg jpeg' 'convert a.ppm tiff'; do
        # shellcheck disable=SC2086 # words
        set -- $call
        expect 1 "$KOSTKA" "$1" "$2" /dev/full --out-format "$3"
        says 'No space left'
        "$KOSTKA" "$1" "$2" - --out-format "$3" >/dev/full 2>err && fail "$call to a full device succeeded"
        says 'No space left'
    done
    for call in 'info a.jpg' 'info --json a.jpg' 'devices' 'devices --json' 'compare a.png a.png' 'help' '--version'; do
        # shellcheck disable=SC2086 # words
        "$KOSTKA" $call >/dev/full 2>err
        equals $? 1 "$call to a full device"
        says 'No space left'
    done
fi
expect 0 "$KOSTKA" decode a.jpg /dev/null --out-format ppm
[ -c /dev/null ] || fail '/dev/null has been replaced'

# What was there stays until the new file is whole, keeps its permissions, and links stay links.
cp a.jpg keep.jpg
head -c 100 a.jpg >cut.jpg
expect 1 "$KOSTKA" transcode cut.jpg keep.jpg
same keep.jpg a.jpg
chmod 640 keep.jpg
ln -s keep.jpg link.jpg
expect 0 "$KOSTKA" transcode --progressive a.jpg link.jpg
[ -h link.jpg ] || fail 'the link was replaced'
equals "$(stat -c %a keep.jpg)" 640
equals "$("$KOSTKA" info --json keep.jpg | json 0 process)" progressive
expect 0 "$KOSTKA" transcode --optimize keep.jpg keep.jpg
equals "$("$KOSTKA" info --json keep.jpg | json 0 process)" baseline
(umask 027 && "$KOSTKA" decode a.jpg masked.ppm)
equals "$(stat -c %a masked.ppm)" 640

if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod 500 closed
    expect 1 "$KOSTKA" decode a.jpg closed/new.ppm
    says 'Permission denied'
    chmod 700 closed
    (cd closed && only) || failures=$((failures + 1))
    cp a.jpg fixed.jpg
    chmod 444 fixed.jpg
    expect 1 "$KOSTKA" transcode --grey a.jpg fixed.jpg
    same fixed.jpg a.jpg
fi

# A file larger than allowed: the limit is met in the middle of writing. The shell's unit is 512 bytes.
mkdir limited
(
    trap '' XFSZ
    ulimit -f 4
    "$KOSTKA" decode a.jpg limited/new.ppm 2>err
    equals $? 1 'file size limit'
    exit "$failures"
) || fail 'the file size limit was not noticed'
equals "$(find limited -type f)" '' 'left behind after a failed write'

# Interrupted while it writes, it takes its temporary file away.
mkdir interrupted
awk 'BEGIN { print "P2 3000 2400 255"; s = 1; for (i = 0; i < 7200; i++) { for (k = 0; k < 1000; k++) { s = (s * 1103 + 12345) % 65536; printf "%d ", s % 256 } print "" } }' >big.pgm
for signal in TERM INT HUP; do
    # Background commands of a shell ignore SIGINT unless they ask for it.
    env --default-signal=INT,HUP,TERM true 2>/dev/null || break
    env --default-signal=INT,HUP,TERM "$KOSTKA" convert big.pgm interrupted/big.png --compression 9 2>err &
    pid=$!
    tries=0
    while [ -z "$(find interrupted -name '.kostka-*')" ] && [ $tries -lt 3000 ] && kill -0 $pid 2>/dev/null; do
        tries=$((tries + 1))
        sleep 0.01
    done
    kill -s $signal $pid 2>/dev/null || {
        echo "too fast to be interrupted by $signal"
        wait $pid
        rm -f interrupted/*
        continue
    }
    wait $pid
    code=$?
    [ $code -gt 128 ] || fail "exit status $code after $signal"
    equals "$(find interrupted -type f)" '' "left behind after $signal"
done
equals "$(find . -name '.kostka-*')" '' 'temporary files left'
finish
