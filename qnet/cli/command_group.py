"""Groups of commands, and the options that every command has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from qnet.cli.failures import fail
from qnet.cli.files import say
from qnet.cli.options import quiet_option


class CommandGroup(click.Group):
    """A group of commands, which suggests names for an unknown command and prints its help without one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "no_args_is_help": False})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options of the group; help that was not requested goes to standard error."""
        if not args and not ctx.resilient_parsing:
            fail(ctx.get_help(), 2)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with qnet's help option."""
        command = super().get_command(ctx, cmd_name)
        return helped(command) if command else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that the arguments name; raises `UsageError` where there is none."""
        name = args[0]
        if name not in self.list_commands(ctx) and not name.startswith("-") and not ctx.resilient_parsing:
            from qnet.cli.usage import unknown_word

            raise unknown_word("command", name, self.list_commands(ctx), f"{ctx.command_path} --help")
        resolved = super().resolve_command(ctx, args)
        if resolved[1] is not None and not ctx.resilient_parsing:
            _refuse_repeated(click.Context(resolved[1], info_name=name, parent=ctx), resolved[2])
        return resolved


def _refuse_repeated(ctx: click.Context, args: list[str]) -> None:
    """Refuse a repeated option of a single value: the first value would be ignored silently."""
    try:
        _, _, order = ctx.command.make_parser(ctx).parse_args(args=list(args))
    except click.UsageError:
        return  # Reported when the arguments are parsed.
    for item in order:
        last_wins = item.name in ("format_name", "color")
        if isinstance(item, click.Option) and not (item.multiple or item.is_flag or item.count or last_wins):
            times = sum(other is item for other in order)
            if times > 1:
                name = max(item.opts, key=len)
                raise click.UsageError(f"{name} is given {times} times, expected once", ctx)


def helped(command: click.Command) -> click.Command:
    """The command with `--quiet` and qnet's help option, because that of click searches the disk for translations."""
    if not any("--help" in parameter.opts for parameter in command.params):
        command.params.append(quiet_option())
        command.params.append(eager(["-h", "--help"], "Show this message and exit.", _show_help))
    return command


def _show_help(ctx: click.Context) -> None:
    """Print the help of a command with its options in groups, or that of a group of commands as click does."""
    if isinstance(ctx.command, click.Group):
        say(ctx.get_help())
        return
    from qnet.cli.layout import help_text

    say(help_text(ctx))


def eager(names: list[str], help: str, show: Callable[[click.Context], None]) -> click.Option:
    """A flag that prints something and ends the run, whatever the other arguments are."""

    def show_and_exit(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            show(ctx)
            ctx.exit()

    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=show_and_exit, help=help)


def root_command() -> click.Group:
    """The `qnet` group of the running command, for texts that describe all commands."""
    root = click.get_current_context().find_root().command
    assert isinstance(root, click.Group)
    return root
