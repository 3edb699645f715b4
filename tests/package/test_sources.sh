#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that all sources keep to one dialect of C, that each of them opens with a line that says what it is for, that
# tests lie where src has what they test and count their failures, and that READMEs are short.
set -eu
cd "$KOSTKA_SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sources of C and of kernels, then scripts, in the folders that hold them.
folders='bench cmake compat docs examples fuzz include packaging plugins python src tests tools'
# shellcheck disable=SC2086 # a list of words
find $folders -name build -prune -o -type f \( -name '*.[ch]' -o -name '*.cl' \) -print | sort >"$work/c"
# shellcheck disable=SC2086 # a list of words
find $folders -name build -prune -o -type f \( -name '*.sh' -o -name '*.py' -o -name '*.pyi' \) -print | sort >"$work/scripts"
printf '%s\n' dev .ci/run >>"$work/scripts"

# A status is compared with KST_OK by `!status` and `status` alone.
find_comparisons() {
    # shellcheck disable=SC2046 # no name has spaces
    grep -nE '[!=]= *KST_OK|KST_OK *[!=]=' $(cat "$work/c") | sed 's/$/  (write !status or status)/'
}

# sizeof has parentheses around a type, and in macros around an argument, but around no other expression.
# shellcheck disable=SC2046 # no name has spaces
sed -nE 's/^typedef [^(]*[ *]([A-Za-z0-9_]+)(\[[^]]*\])?;.*/\1/p; s/^typedef [^(]*\(\*([a-z0-9_]+)\).*/\1/p
    s/^\} ([A-Za-z0-9_]+);.*/\1/p' $(cat "$work/c") |
    sort -u >"$work/types"
printf '%s\n' bool char double float int long short signed unsigned void const struct union enum uchar uint ulong ushort PyObject \
    >>"$work/types"
find_parentheses() {
    # shellcheck disable=SC2046 # no name has spaces
    awk -v types="$work/types" '
        BEGIN {
            while ((getline line <types) > 0)
                known[line] = 1
        }
        FNR == 1 {
            macro = 0
        }
        {
            macro = macro || $0 ~ /^ *#/
            line = $0
            while (!macro && match(line, /sizeof ?\(/)) {
                line = substr(line, RSTART + RLENGTH)
                match(line, /^[A-Za-z0-9_]*/)
                word = substr(line, 1, RLENGTH)
                if (!(word in known) && word !~ /_t$/)
                    print FILENAME ":" FNR ":" $0 "  (write sizeof x)"
            }
            macro = macro && $0 ~ /\\$/
        }' $(cat "$work/c")
}

# The first line names the licence, the second one begins to say what the file is for. In public headers a block for the
# reference does so below the guard.
find_openings() {
    # shellcheck disable=SC2046 # no name has spaces
    awk '
        FNR == 1 && $0 != "/* SPDX-License-Identifier: BSD-2-Clause */" {
            print FILENAME ":1: (no SPDX line)"
        }
        FILENAME ~ /^include\// {
            if (FNR == 6 && $0 != " * @file")
                print FILENAME ":6: (no @file that says what the header is for)"
            next
        }
        FNR == 2 && $0 !~ /^\/\*( .|$)/ {
            print FILENAME ":2: (no comment that says what the file is for)"
        }' $(cat "$work/c")
}

# In scripts #! may stand above, and words to shellcheck and Slurm between.
find_script_openings() {
    # shellcheck disable=SC2046 # no name has spaces
    awk '
        FNR == 1 {
            wanted = "licence"
        }
        FNR == 1 && /^#!/ || /^# shellcheck / || /^#SBATCH / {
            next
        }
        wanted == "purpose" {
            wanted = ""
            if ($0 !~ /^# [^ ]/ && $0 !~ /^"""./)
                print FILENAME ":" FNR ": (no line that says what the file is for)"
        }
        wanted == "licence" {
            wanted = "purpose"
            if ($0 != "# SPDX-License-Identifier: BSD-2-Clause")
                print FILENAME ":" FNR ": (no SPDX line)"
        }' $(cat "$work/scripts")
}

# READMEs of folders are read beside the code: at most 150 lines of 100 characters.
find_long_readmes() {
    find src -name README.md | sort | while read -r file; do
        [ "$(wc -l <"$file")" -le 150 ] || echo "$file: (more than 150 lines)"
        [ "$(LC_ALL=C.UTF-8 wc -L <"$file")" -le 100 ] || echo "$file: (a line of more than 100 characters)"
    done
}

# Programs that are started do not inherit the descriptors of temporary files.
find_inherited() {
    # shellcheck disable=SC2046 # no name has spaces
    grep -nE '[^a-z_]mkstemp\(' $(grep -E '^(src|tools)/' "$work/c") | sed 's/$/  (write mkostemp(name, O_CLOEXEC))/'
}

# A folder of tests is named like the folder of src that it tests; the others are listed here. Each test begins with test_.
find_stray_tests() {
    find tests -mindepth 1 -type d | sort | while read -r folder; do
        case ${folder#tests/} in
        cli | compat | gpu | plugins | package | package/consumer | robustness | robustness/j2k | robustness/jpeg | support*) ;;
        *) [ -d "src/${folder#tests/}" ] || echo "$folder: (no folder of src)" ;;
        esac
    done
    find tests -path tests/support -prune -o -path tests/package/consumer -prune -o -name '*.c' ! -name 'test_*' -print |
        sed 's/$/: (a test begins with test_; helpers are in tests\/support)/'
}

# A script that counts failures ends with the function that makes them its exit status.
find_lost_failures() {
    find tests -name 'test_*.sh' -exec grep -l 'cli/library\.sh"$' {} + | sort | while read -r file; do
        [ "$(tail -n 1 "$file")" = finish ] || echo "$file: (does not end with finish)"
    done
}

{
    find_comparisons
    find_parentheses
    find_openings
    find_script_openings
    find_long_readmes
    find_inherited
    find_stray_tests
    find_lost_failures
} >"$work/wrong"
cat "$work/wrong"
[ ! -s "$work/wrong" ]
