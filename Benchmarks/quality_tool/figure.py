"""What a figure is: a table of rows by engines, some measures in each row, and what the measures should come to."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable

from .engines import Bench, Engine, Failure, Setting
from .sound import Sound


@dataclass(frozen=True)
class Goal:
    """What a value should come to. With `beside`, the bound is that engine's value in the same run, plus `value`."""

    value: float
    most: bool  # whether the value is the most that is allowed, or the least
    beside: str | None = None
    factor: float = 1  # that the other engine's value is taken times

    def bound(self, others: dict) -> float | None:
        """None where the engine to be compared with is not there."""
        if self.beside is None:
            return self.value
        other = others.get(self.beside)
        return None if other is None else other * self.factor + self.value

    def met(self, value: float, others: dict) -> bool | None:
        bound = self.bound(others)
        if bound is None:
            return None
        return bool(value <= bound if self.most else value >= bound)  # what is not a number misses

    def __str__(self):
        sign = "≤" if self.most else "≥"
        if self.beside is None:
            return f"{sign} {self.value:g}"
        times = "" if self.factor == 1 else f" × {self.factor:g}"
        plus = "" if self.value == 0 else f" {'+' if self.value > 0 else '−'} {abs(self.value):g}"
        return f"{sign} {self.beside}{times}{plus}"


def least(value: float, beside: str | None = None, factor: float = 1) -> Goal:
    return Goal(value, False, beside, factor)


def most(value: float, beside: str | None = None, factor: float = 1) -> Goal:
    return Goal(value, True, beside, factor)


@dataclass(frozen=True)
class Measure:
    key: str
    heading: str
    form: str = "{:.1f}"
    goal: Goal | None = None  # None: printed, and not judged
    where: Callable | None = None  # of a row and a mode: whether the goal holds there

    def goal_in(self, row, mode: str) -> Goal | None:
        return self.goal if self.where is None or self.where(row, mode) else None


@dataclass
class Contender:
    """An engine in a mode, as a figure sees it."""

    engine: Engine
    mode: str
    bench: Bench

    def able(self, rate: float = 1, cents: float = 0, script: str | None = None) -> bool:
        return self.engine.able(Setting(self.mode, rate, cents, script))

    def render(self, what: Sound, rate: float = 1, cents: float = 0, *, mode: str | None = None, key=None) -> Sound:
        """What it makes of a sound; see `Bench.render`."""
        return self.bench.render(self.engine, Setting(mode or self.mode, rate, cents), what, key)

    def ask(self, what: Sound, script: str) -> tuple:
        """What it makes of a sound by a script, and what it printed."""
        return self.bench.ask(self.engine, Setting(self.mode, script=script), what)


class Figure:
    """Its rows are what is asked of each engine; `measure` gives values by key, or None where an engine is not able."""

    name = ""
    title = ""
    modes = ("music",)  # of ours; each is a table
    measures: tuple = ()
    spoken = False  # whether voices are needed
    peer_modes: tuple | None = None  # in which of the tables engines that are not ours stand; None: all

    def rows(self, quick: bool) -> list:
        raise NotImplementedError

    def label(self, row) -> str:
        return f"{row:g}x"

    def measure(self, contender: Contender, row) -> dict | None:
        raise NotImplementedError

    def compares(self, mode: str) -> bool:
        """Whether engines that are not ours stand beside ours."""
        return self.peer_modes is None or mode in self.peer_modes

    def measure_all(self, contenders: list, rows: list, quick: bool, failed: Callable, begun: Callable) -> dict:
        """Values of all engines by rows and the engines' names. Several are measured at a time."""
        values = {row: {} for row in rows}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            cells = [
                (row, contender, pool.submit(self.measure, contender, row)) for row in rows for contender in contenders]
            try:
                for row, contender, cell in cells:
                    begun(row)
                    try:
                        answer = cell.result()
                    except (Failure, ValueError) as error:
                        failed(row, contender, error)
                        continue
                    if answer is not None:
                        values[row][contender.engine.name] = answer
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return values
