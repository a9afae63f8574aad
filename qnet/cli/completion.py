"""`qnet completion`: shell completion of commands, options, systems, parameters and metrics; and the manual page."""

from __future__ import annotations

import click

_BASH = r"""_qnet_completion() {
    local IFS=$'\n'
    local response completion type value word current prefix
    local -a words=()

    # "=" and ":" separate words for bash, not for qnet: rate=600/s is one word.
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if (( ${#words[@]} )) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    current=${COMP_WORDS[COMP_CWORD]}
    [[ $current == [=:] ]] && current=""
    prefix=${words[-1]%"$current"}

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$(( ${#words[@]} - 1 )) _QNET_COMPLETE=bash_complete "$1")

    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            [[ $value == *= ]] && compopt -o nospace
            COMPREPLY+=("${value#"$prefix"}")
        fi
    done
    return 0
}

complete -o nosort -F _qnet_completion qnet"""

_ZSH = r"""#compdef qnet

_qnet() {
    local -a response ended open
    local type value note
    (( ! $+commands[qnet] )) && return 1

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) _QNET_COMPLETE=zsh_complete qnet)}")
    # In --metric=response the word that is completed begins after "=".
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='

    for type value note in ${response}; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain)
                # Colons are escaped already where a note follows.
                [[ $note == _ ]] && value=${value//:/\:} || value+=":$note"
                [[ ${value%%:*} == *= ]] && open+=("$value") || ended+=("$value")
                ;;
        esac
    done

    # A value follows "=" without a space.
    (( $#open )) && _describe -V unsorted open -S ''
    (( $#ended )) && _describe -V unsorted ended
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _qnet "$@"
else
    compdef _qnet qnet
fi"""

_FISH = r"""function _qnet_completion
    set -l word (commandline -t)
    set -l option ''
    # In --metric=response the word that is completed begins after "=".
    string match -q -- '--*=*' $word; and set option (string replace -r '=.*' '=' -- $word)

    for completion in (env _QNET_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=$word qnet)
        set -l parts (string split -m 1 ',' -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%s\n' $option$parts[2]
        end
    end
end

complete --no-files --command qnet --arguments '(_qnet_completion)'"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
"""The script of each shell. Those of click split words at "=" in bash, and insert a space after it in zsh."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "man"]))
def command(shell: str) -> None:
    """Print the completion script of a shell, or the manual page.

    \b
    bash:  qnet completion bash > ~/.local/share/bash-completion/completions/qnet
    zsh:   qnet completion zsh > ~/.zfunc/_qnet
    fish:  qnet completion fish > ~/.config/fish/completions/qnet.fish
    man:   qnet completion man > ~/.local/share/man/man1/qnet.1

    Completes commands, options, systems and examples, and the parameters, metrics and envelopes of the model named
    before the cursor.

    \b
    Examples:
      qnet completion bash
      qnet completion man
    """
    from qnet.cli.output import say

    if shell == "man":
        from qnet.cli.command_group import root_command
        from qnet.cli.manual import manual

        say(manual(root_command()))
        return
    say(_SCRIPTS[shell])
