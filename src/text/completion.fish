# fish completion for selfattn; made by: selfattn help --completion fish
function __selfattn_is
    set -l words (commandline -opc)
    set -l command run
    if set -q words[2]; and contains -- $words[2] {names}
        set command $words[2]
    end
    contains -- $command $argv
end
{commands}
{operands}
{options}
