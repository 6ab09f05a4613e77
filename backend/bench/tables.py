"""Figures as a table: plain, or in Markdown."""

from collections.abc import Sequence


def plain(rows: Sequence[Sequence[str]], summary: Sequence[str]) -> str:
    """A heading and rows of cells, aligned; then the summary."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *summary]) + "\n"


def markdown(rows: Sequence[Sequence[str]], summary: Sequence[str]) -> str:
    heading, *others = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
    lines += [f"| {' | '.join(row)} |" for row in others]
    return "\n".join([*lines, "", *summary]) + "\n"


def number(value: float | None, nothing: str = "-") -> str:
    if value is None:
        return nothing
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
