# SPDX-License-Identifier: BSD-2-Clause
# Completion for fish: the command says what can stand at the cursor.
function __kostka_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l value (string replace -r -- '^--[^=]*=' '' $words[-1])
    set -l prefix (string match -r -- '^--[^=]*=' $words[-1])
    set -q prefix[1]; or set prefix ''
    for line in ($words[1] --complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                string join \n -- $prefix(__fish_complete_path $value)
            case ':folders'
                string join \n -- $prefix(__fish_complete_directories $value)
            case '*'
                echo $line
        end
    end
end
complete -c kostka -f -a '(__kostka_complete)'
