#compdef selfattn
# zsh completion for selfattn; made by: selfattn help --completion zsh
_selfattn() {
    local -a options
    local -a verbs=(
{commands}
    )
    case $words[2] in
{options}
    esac
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command verbs
    fi
    _arguments $options
}
_selfattn "$@"
