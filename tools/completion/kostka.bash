# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash: the command says what can stand at the cursor.
# shellcheck shell=bash
_kostka() {
    local words=() word prefix line i
    # Bash takes words apart at = and :, which belong to them here.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ($word == [=:]* || ${COMP_WORDS[i - 1]} == [=:]) ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    # What of the last word stays as it is, because only the rest is put in place of what bash takes for the word.
    word=${COMP_WORDS[COMP_CWORD]}
    [[ $word == [=:] ]] && word=
    prefix=${words[${#words[@]} - 1]}
    prefix=${prefix%"$word"}

    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default ;;
        :folders) compopt -o dirnames ;;
        *) COMPREPLY+=("${line#"$prefix"}") ;;
        esac
    done < <("$1" --complete "${words[@]}" 2>/dev/null)
}
complete -F _kostka kostka
