# bash completion for selfattn; made by: selfattn help --completion bash
_selfattn() {
    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} equals=''
    if [[ $word == "=" ]]; then
        word='' equals="="
    elif [[ $option == "=" ]]; then
        option=${COMP_WORDS[COMP_CWORD-2]} equals="="
    fi
    local before=''
    [[ $word == *,* ]] && before=${word%,*},
    COMPREPLY=()
    case $option$equals in
    {files})
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
{words}
    esac
    local commands="{commands}" options operands=''
    case ${COMP_WORDS[1]} in
{options}
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        return
    fi
    if [[ $COMP_CWORD == 1 ]]; then
        operands=$commands
    elif [[ -n $operands ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$word")
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -F _selfattn selfattn
