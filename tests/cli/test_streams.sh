#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Standard input and output, and pipes that break.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

picture 200 150 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail 'cannot encode'
"$KOSTKA" decode a.jpg a2.ppm || fail 'cannot decode'

"$KOSTKA" encode - - <a.ppm >b.jpg || fail 'encode - -'
same a.jpg b.jpg
"$KOSTKA" decode - - <a.jpg >b.ppm || fail 'decode - -'
same a2.ppm b.ppm
"$KOSTKA" decode - - --out-format png <a.jpg >b.png || fail 'decode - - as PNG'
identical b.png a2.ppm
"$KOSTKA" transcode - - <a.jpg >b.jpg || fail 'transcode - -'
same a.jpg b.jpg
cp a.ppm a3.ppm
"$KOSTKA" convert - - --out-format tiff <a3.ppm | "$KOSTKA" compare - a.ppm >/dev/null || fail 'convert to compare'
"$KOSTKA" info - <a.jpg >out || fail 'info -'
prints '200x150'
"$KOSTKA" encode a.ppm - | "$KOSTKA" transcode - - --progressive | "$KOSTKA" decode - - >c.ppm || fail 'a chain of pipes'
same a2.ppm c.ppm
mkdir many
"$KOSTKA" decode - --out-dir many <a.jpg || fail 'standard input to a folder'
same a2.ppm many/stdin.ppm

# A reader that goes away ends the program quietly, by SIGPIPE.
picture 64 64 >small.ppm
for call in 'decode a.jpg -' 'encode a.ppm -' 'transcode a.jpg -' 'convert a.ppm - --out-format png' 'info a.jpg'; do
    # shellcheck disable=SC2086 # words
    (
        "$KOSTKA" $call 2>err
        echo $? >code
    ) | :
    code=$(cat code)
    [ "$code" = 141 ] || [ "$code" = 0 ] || fail "$call to a broken pipe: exit status $code"
    [ ! -s err ] || fail "$call to a broken pipe says: $(cat err)"
done
# If SIGPIPE is ignored, a closed pipe is an error like any other.
(
    trap '' PIPE
    while env printf x 2>/dev/null; do # until it is broken
        sleep 0.02
    done
    "$KOSTKA" decode a.jpg - 2>err
    echo $? >code
) | :
equals "$(cat code)" 1 'ignored SIGPIPE'
grep -q 'Broken pipe' err || fail "no message about the broken pipe: $(cat err)"
"$KOSTKA" decode a.jpg - >&- 2>err && fail 'a closed standard output was written to'

# Input that is no input.
expect 1 "$KOSTKA" decode - out.ppm </dev/null
says 'standard input: .*no data'
expect 2 "$KOSTKA" decode . out.ppm
says 'is a folder'
mkfifo pipe
cat a.jpg >pipe &
"$KOSTKA" decode pipe from-pipe.ppm || fail 'a named pipe as input'
wait
same from-pipe.ppm a2.ppm
cat pipe >got.ppm &
"$KOSTKA" decode a.jpg pipe --out-format ppm || fail 'a named pipe as output'
wait
same got.ppm a2.ppm
[ -p pipe ] || fail 'the named pipe was replaced'
finish
