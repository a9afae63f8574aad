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


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "man"]))
def command(shell: str) -> None:
    """Print the completion script of a shell, or the manual page.

    \b
    bash:  qnet completion bash > ~/.local/share/bash-completion/completions/qnet
    zsh:   qnet completion zsh > ~/.zfunc/_qnet
    fish:  qnet completion fish > ~/.config/fish/completions/qnet.fish
    man:   qnet completion man > ~/.local/share/man/man1/qnet.1

    Completed are commands, options, systems and examples, and by the model that is named before the cursor its
    parameters, metrics and envelopes.

    \b
    Examples:
      qnet completion bash
      qnet completion man
    """
    from qnet.cli.output import say

    if shell == "man":
        from qnet.cli.manual import manual

        say(manual())
        return
    if shell == "bash":
        say(_BASH)
        return
    from click.shell_completion import get_completion_class

    from qnet.cli.group import qnet

    completion = get_completion_class(shell)
    assert completion is not None
    say(completion(qnet, {}, "qnet", "_QNET_COMPLETE").source().rstrip("\n"))
