#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Print the name of the clang that PATH has: "clang", or else the newest with its version behind the name, as PoCL's packages install
# it. Exit status 1: there is none. Usage: newest_clang.sh clang|clang++
set -eu
command -v "$1" && exit
IFS=:
for folder in $PATH; do
    for file in "$folder/$1"-[1-9]*; do
        [ ! -x "$file" ] || printf '%s\n' "${file##*/}"
    done
done | grep -E '^clang(\+\+)?-[0-9]+$' | sort -t - -k 2n | tail -n 1 | grep .
