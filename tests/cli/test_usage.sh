#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Wrong calls end with 2, a device that is not there with 3; nothing of it is on standard output.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

expect 2 "$KOSTKA"
silent
says Usage
expect 0 "$KOSTKA" --version
prints '^kostka [0-9]*\.[0-9]*\.[0-9]*$'
for verb in decode encode transcode convert filter video volume tiff info compare devices bench profile run; do
    expect 0 "$KOSTKA" help "$verb"
    prints "Usage: kostka $verb"
    cp out help
    expect 0 "$KOSTKA" "$verb" --help
    same out help
    expect 2 "$KOSTKA" "$verb" --no-such-option
    silent
    says "kostka $verb: .*--no-such-option.*kostka help $verb"
    expect 2 "$KOSTKA" "$verb" -Z
    says 'unknown option -Z'
    expect 2 "$KOSTKA" "$verb" --threads
    says 'needs a value'
    expect 2 "$KOSTKA" "$verb" --threads 0 x
    says 'threads'
    expect 0 "$KOSTKA" help
    prints "^  $verb "
    # Some verbs refer to the options of others.
    manual=$KOSTKA_SOURCE/docs/man
    case $verb in
    convert | filter | video | bench | compare | profile) others="$manual/kostka-decode.1 $manual/kostka-encode.1" ;;
    volume) others=$manual/kostka-encode.1 ;;
    tiff) others=$manual/kostka-decode.1 ;;
    *) others= ;;
    esac
    {
        grep -o -e '--[a-z][a-z-]*' help
        "$KOSTKA" --complete "$verb" --
    } | sort -u >options
    while read -r option; do
        # shellcheck disable=SC2086 # words
        grep -q -e "Fl -${option#--}\\b" "$manual/kostka-$verb.1" "$manual/kostka.1" $others ||
            fail "$option is not in the manual of $verb"
    done <options
    # The manual's synopsis is the call, verb and all, and its name is the one that it is found by.
    grep -q -x -e ".Nm kostka-$verb" "$manual/kostka-$verb.1" || fail "the manual of $verb has another name"
    equals "$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$manual/kostka-$verb.1" | grep -A 1 '^\.Nm' | grep -v '^--' |
        paste - - | sort -u)" "$(printf '.Nm kostka\t.Cm %s' "$verb")" "synopsis of $verb"
    if command -v nroff >/dev/null; then
        nroff -mdoc -c "$manual/kostka-$verb.1" 2>/dev/null | sed "s/.$(printf '\010')//g" >page
        grep -q "^ *kostka $verb" page || fail "the manual's page does not say 'kostka $verb'"
    fi
    [ "$(awk 'length > 110' help)" = "" ] || fail "help of $verb has lines above 110 columns"
done
expect 2 "$KOSTKA" frobnicate
says "no verb 'frobnicate'"
expect 2 "$KOSTKA" help frobnicate

picture 8 8 >a.ppm
"$KOSTKA" encode a.ppm a.jpg || fail "cannot encode"
for verb in decode encode transcode convert; do
    expect 2 "$KOSTKA" $verb
    says 'no input'
    expect 2 "$KOSTKA" $verb a.jpg
    says 'no output'
    expect 2 "$KOSTKA" $verb a.jpg b.jpg c.jpg
    says 'out-dir'
done
for verb in info bench profile; do
    expect 2 "$KOSTKA" $verb
done
expect 2 "$KOSTKA" bench decode
expect 2 "$KOSTKA" compare a.jpg
expect 2 "$KOSTKA" devices a.jpg

wrong() {
    expect 2 "$KOSTKA" "$@"
    silent
    [ ! -e new ] || fail "a file was made by: $*"
}
wrong decode a.jpg new
wrong decode a.jpg new.jpg
wrong decode a.jpg new.ppm --format purple
wrong decode a.jpg new.ppm --scale 1/3
wrong decode a.jpg new.ppm --reduce 33
wrong decode a.jpg new.ppm --reduce=-1
for region in 8 8x 0x8 8x0 8x8+1 8x8+1+ 8x8-1-1 8x8+1+1+1 99999999999x1+0+0 8x8+1+1z 1,1 1,1,8 1,1,0,8 1,1,8,8,1 1,1x8,8; do
    wrong decode a.jpg new.ppm --region "$region"
done
wrong decode a.jpg new.ppm --format raw --orient
wrong decode a.jpg new.ppm --max-pixels 5X
wrong decode a.jpg new.ppm --out-format gif
for quality in 0 101 -1 9x ''; do
    wrong encode a.ppm new.jpg --quality="$quality"
done
wrong encode a.ppm new.png
wrong encode a.ppm new.jpg --subsampling 421
wrong encode a.ppm new.jpg --subsampling 5x1,1x1,1x1
wrong encode a.ppm new.jpg --restart keep
wrong encode a.ppm new.jpg --restart 65536
wrong encode a.ppm new.jpg --restart 1q
wrong encode a.ppm new.jpg --icc missing
wrong encode a.ppm new.jpg --scans missing
echo '0: 1-5 nonsense' >bad.txt
wrong encode a.ppm new.jpg --scans bad.txt
says 'line 1'
wrong encode a.ppm new.jpg --qtables bad.txt
wrong transcode a.jpg new.jpg --rotate 45
wrong transcode a.jpg new.jpg --flip x
wrong transcode a.jpg new.jpg --rotate 90 --flip h
wrong transcode a.jpg new.jpg --perfect --trim
wrong transcode a.jpg new.jpg --strip=some
wrong transcode a.jpg new.jpg --optimize=yes
wrong convert a.jpg new
wrong convert a.jpg -
says 'out-format'

expect 3 "$KOSTKA" decode a.jpg new.ppm --device cuda:7777
says 'kostka devices'
expect 3 "$KOSTKA" bench decode --device opencl:7777 a.jpg
expect 3 "$KOSTKA" info --device cuda:7777 a.jpg
expect 2 "$KOSTKA" decode a.jpg new.ppm --device toaster
expect 3 env KOSTKA_DEVICE=cuda:7777 "$KOSTKA" decode a.jpg new.ppm
expect 2 env KOSTKA_THREADS=many "$KOSTKA" decode a.jpg new.ppm
says 'KOSTKA_THREADS'
expect 3 env KOSTKA_CPU=turbo "$KOSTKA" decode a.jpg new.ppm
[ ! -e new.ppm ] || fail 'a file was made'
expect 0 "$KOSTKA" devices
prints '^cpu '
finish
