"""Tables on standard output, and what is missed."""

import math

from .engines import Engine
from .figure import Figure


class Report:
    """Takes values as they are measured; prints a table when its figure is done."""

    def __init__(self):
        self.figures: dict = {}  # for JSON: figure: mode: row: engine: measure: value
        self.missed: list = []
        self.judged = 0
        self.failed: list = []  # of ours
        self.notes: list = []  # what others could not do
        self.unknown: list = []  # what no engine of ours was able to do

    def fail(self, engine: Engine, text: str):
        (self.failed if engine.ours else self.notes).append(text)

    def numbers(self) -> dict:
        return {"figures": self.figures, "missed": self.missed, "failed": self.failed, "notes": self.notes,
                "unknown": self.unknown}

    def table(self, figure: Figure, mode: str, values: dict, columns: list):
        """Values by row and engine's name. `columns` are the engines, ours first."""
        ours = [engine.name for engine in columns if engine.ours]
        if ours and not any(row.get(name) for row in values.values() for name in ours):
            self.unknown.append(f"{figure.name} {mode}")
        columns = [engine for engine in columns if any(row.get(engine.name) for row in values.values())]
        self.figures.setdefault(figure.name, {})[mode] = {figure.label(row): cells for row, cells in values.items()}
        if not columns:
            return
        print(f"\n{figure.title}  [{figure.name}, {mode}]")
        width = max(10, *(len(figure.label(row)) for row in values)) + 1
        wide = max(len(measure.heading) for measure in figure.measures) + 2
        goals = [str(measure.goal) if measure.goal else "" for measure in figure.measures]
        far = max(8, *map(len, goals)) + 2
        names = [max(12, len(engine.name) + 2) for engine in columns]
        head = "".join(engine.name.rjust(size) for engine, size in zip(columns, names))
        print("  " + " " * (width + wide) + "goal".ljust(far) + head)
        for row, cells in values.items():
            label = figure.label(row)
            for measure in figure.measures:
                self._line(figure, mode, row, label, measure, cells, columns, (width, wide, far, names))
                label = ""

    def _line(self, figure, mode, row, label, measure, cells, columns, widths):
        width, wide, far, names = widths
        values = {name: cell[measure.key] for name, cell in cells.items() if cell and measure.key in cell}
        if not values:
            return
        goal = measure.goal_in(row, mode)
        texts = []
        for engine, size in zip(columns, names):
            value = values.get(engine.name)
            text = "-" if value is None else "nan" if math.isnan(value) else measure.form.format(value)
            if goal and engine.ours and value is not None:
                met = goal.met(value, values)
                if met is not None:
                    self.judged += 1
                    text += " ✓" if met else " ✗"
                if met is False:
                    self.missed.append(
                        f"{engine.name} {mode}: {figure.name} {figure.label(row)} {measure.heading} "
                        f"{measure.form.format(value)} ({_bound(goal, measure, values)})")
            texts.append(text.rjust(size))
        print("  " + label.ljust(width) + measure.heading.ljust(wide) + (str(goal) if goal else "").ljust(far)
              + "".join(texts))

    def end(self) -> bool:
        """The summary; whether all is met."""
        print()
        for line in self.notes:
            print(f"  note     {line}")
        for line in self.unknown:
            print(f"  unknown  {line}: measured of no engine of ours")
        for line in self.failed:
            print(f"  failed   {line}")
        for line in self.missed:
            print(f"  missed   {line}")
        print(f"  {self.judged - len(self.missed)} of {self.judged} figures are met")
        return not self.missed and not self.failed


def _bound(goal, measure, values) -> str:
    text = str(goal)
    return text if goal.beside is None else f"{text} = {measure.form.format(goal.bound(values))}"
