"""`qnet completion`: shell completion of commands, options and systems."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  qnet completion bash > ~/.local/share/bash-completion/completions/qnet
    zsh:   qnet completion zsh > ~/.zfunc/_qnet
    fish:  qnet completion fish > ~/.config/fish/completions/qnet.fish
    """
    from click.shell_completion import get_completion_class

    from qnet.cli.group import qnet
    from qnet.cli.output import say

    completion = get_completion_class(shell)
    assert completion is not None
    say(completion(qnet, {}, "qnet", "_QNET_COMPLETE").source().rstrip("\n"))
