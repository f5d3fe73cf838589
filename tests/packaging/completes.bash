# bash completes.bash FILE: its completions offer a command, an option and a value of one.
source "$1" || exit 1

# offers WORD... WANTED: after these words, the last of which is begun.
offers() {
    local wanted=${*: -1}
    COMP_WORDS=(selfattn "${@:1:$#-1}") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
    _selfattn
    [[ " ${COMPREPLY[*]} " == *" $wanted "* ]] || { echo "$* is not offered: ${COMPREPLY[*]}"; exit 1; }
}

offers enc encode
offers run --cau --causal
