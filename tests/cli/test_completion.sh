#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What shells offer: the command knows its options and their values, and the shells' scripts ask it.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
scripts=$KOSTKA_SOURCE/tools/completion

# offers EXPECTED WORD…: the lines, joined by spaces
offers() {
    wanted=$1
    shift
    equals "$("$KOSTKA" --complete "$@" | tr '\n' ' ')" "$wanted" "offered for: $*"
}
offers 'decode devices ' de
offers 'transcode ' help tr
offers '--version ' --v
offers '' frobnicate ''
offers ':files ' decode ''
offers ':files ' decode -- --for
offers ':folders ' decode --out-dir ''
offers 'all ' decode --device al
offers '' info --device al
offers '--max-count ' convert --max-c
offers ':folders ' decode a.jpg --out-dir=x
offers 'auto grey rgb bgr rgba bgra cmyk planar raw ' decode --format ''
offers '--format=rgb --format=rgba --format=raw ' decode --format=r
offers '90 180 270 ' transcode --rotate ''
offers '--strip=all --strip=markers ' transcode --strip=
offers ':files ' encode --icc ''
offers 'decode encode transcode ' bench --repeat 3 ''
offers ':files ' bench --repeat 3 decode ''
offers 'encode decode info slice bench ' volume ''
offers ':files ' volume decode ''
offers 'info decode tiles ' tiff ''
offers ':folders ' tiff tiles --out-dir ''
offers 'resize rotate rgb ' filter r
offers 'grey,resize grey,rotate grey,rgb ' filter grey,r
offers ':files ' filter grey ''
offers 'canny cartoon ' video --filters ca
offers '--filters=canny --filters=cartoon ' video --filters=ca
offers '' encode --quality ''
offers ':files ' encode --quality 3 ''
offers ':files ' encode -q 3 ''
offers '' encode -q ''
offers '--optimize ' encode --opt
offers '--optimise ' encode --optimis
offers '--compression ' convert --compr
offers '' encode --compr
offers '' transcode --compr
"$KOSTKA" --complete decode --device '' | grep -q -x cpu || fail 'the processor is not offered'

# All options in the help are offered, and the values that are offered are accepted. The name of a filter is known, but
# it may be told what it needs.
for verb in decode encode transcode convert filter video volume tiff info compare devices bench profile run; do
    "$KOSTKA" --complete $verb -- >offered
    "$KOSTKA" help $verb | grep -v "kostka help\|'kostka [a-z]*'" | grep -o -e '[ (]--[a-z][a-z-]*' | tr -d ' (' | sort -u >told
    [ -s offered ] || fail "$verb has no options"
    while read -r option; do
        "$KOSTKA" --complete $verb "$option" | grep -q -x -e "$option" || fail "$option of $verb is not offered"
    done <told
    while read -r option; do
        is_due || continue
        "$KOSTKA" --complete $verb "$option=" | grep -v '^:' >values
        while read -r value; do
            "$KOSTKA" $verb "$value" missing 2>err </dev/null >out
            case $value in
            --filters=*) refused='there is no filter' ;;
            *) refused="'${value#*=}'\|unknown" ;;
            esac
            grep -q -e "$refused" err && fail "$verb $value: $(cat err)"
        done <values
    done <offered
done

# Bash as it completes: words are taken apart at = and :, and prefixes of those stay.
if command -v bash >/dev/null; then
    cat >drive.bash <<'END'
compopt() { echo "[compopt $*]"; }
source "$1"
shift
expected=$1
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
got=$(_kostka "$KOSTKA"; echo "${COMPREPLY[*]}")
[ "$got" = "$expected" ] || { echo "FAILED: '$got' is not '$expected' for: $*"; exit 1; }
END
    drive() {
        bash drive.bash "$scripts/kostka.bash" "$@" || failures=$((failures + 1))
    }
    drive 'decode devices' kostka de
    drive '--format' kostka decode --form
    drive 'auto grey rgb bgr rgba bgra cmyk planar raw' kostka decode --format ''
    drive 'auto grey rgb bgr rgba bgra cmyk planar raw' kostka decode --format =
    drive 'rgb rgba raw' kostka decode --format = r
    drive 'cpu' kostka decode --device cp
    drive '[compopt -o default]' kostka decode ph
    drive '[compopt -o default]' kostka encode --icc = ph
    drive '[compopt -o dirnames]' kostka decode --out-dir th
    drive '--format' kostka decode 'a b.jpg' --form
fi

# The whole way, with Tab on a terminal: the shell is interactive, and reads what tells it of the script from a file.
# tabs SHELL COMMAND…: verbs, options, their values and folders
tabs() {
    shell=$1
    shift
    rm -f done.*
    printf 'kostka help tran\t >done.1\nkostka decode --out-dir a\\ f\t x 2>done.2\nkostka decode --format=gr\tx 2>done.3\nkostka info --jso\t x\nexit\n' |
        TERM=dumb timeout 60 script -qec "$*" /dev/null >typed 2>&1
    grep -q 'Usage: kostka transcode' done.1 2>/dev/null || fail "Tab has not completed a verb in $shell: $(tail -n 5 typed)"
    grep -q 'kostka: x: No such file' done.2 2>/dev/null || fail "Tab has not completed a folder in $shell: $(cat done.2)"
    grep -q 'no output named' done.3 2>/dev/null || fail "Tab has not completed a value in $shell: $(cat done.3)"
    grep -q -e '--json' typed || fail "Tab has not completed an option in $shell: $(tail -n 5 typed)"
}
mkdir bin 'a folder'
ln -s "$KOSTKA" bin/kostka
tabs=false
if has_terminals; then tabs=true; fi
if $tabs && command -v bash >/dev/null; then
    # shellcheck disable=SC2016 # for that shell
    printf 'PATH=%s/bin:$PATH\nPS1=\nbind "set bell-style none"\nsource %s/kostka.bash\n' "$work" "$scripts" >rc
    tabs bash bash --noprofile --rcfile rc -i
fi
if ! command -v zsh >/dev/null; then
    echo 'skipped: zsh is not installed'
elif $tabs; then
    # shellcheck disable=SC2016 # for that shell
    printf 'PATH=%s/bin:$PATH\nPS1=\nfpath=(%s $fpath)\nautoload -U compinit\ncompinit -u -d %s/dump\nunsetopt beep\n' \
        "$work" "$scripts" "$work" >.zshrc
    ZDOTDIR=$work tabs zsh zsh -i
fi

# Fish says itself what it would offer.
if ! command -v fish >/dev/null; then
    echo 'skipped: fish is not installed'
else
    : >photo.jpg
    HOME=$work PATH="$work/bin:$PATH" fish --no-config -c "source $scripts/kostka.fish
        complete -C 'kostka de'
        complete -C 'kostka decode --form'
        complete -C 'kostka decode --format='
        complete -C 'kostka decode --format r'
        complete -C 'kostka decode ph'
        complete -C 'kostka encode --icc=ph'" >out 2>err
    equals "$(tr '\n' ' ' <out)" 'decode devices --format --format=auto --format=bgr --format=bgra --format=cmyk --format=grey --format=planar --format=raw --format=rgb --format=rgba raw rgb rgba photo.jpg --icc=photo.jpg ' fish
fi
finish
