"""What it costs: CPU time of whole programs, with what a short file costs taken off. Engines take turns."""

import os
import subprocess

import numpy

from . import signals, sound
from .engines import Setting
from .figure import Figure, Measure, most
from .sound import Sound

SHORT = 2.0  # seconds of output of the file that is taken off


class Cost(Figure):
    name = "cost"
    title = "CPU time of stereo at 44.1 kHz, reading and writing the file included; at 32x counted on what goes in"
    modes = ("speech", "music")
    measures = (
        Measure("core", "% of a core", "{:.3f}"), Measure("speed", "times real time", "{:.0f}"),
        Measure("sonic", "× Sonic's time", "{:.2f}", most(1.04), lambda row, mode: mode == "speech" and row < 4),
        # 100 times real time where Sonic has 311, and 100 times of what goes in where it has 214.
        Measure("music", "× Sonic's time", "{:.2f}", most(3.11), lambda row, mode: mode == "music" and row == 1.5),
        Measure("scan", "× Sonic's time", "{:.2f}", most(2.14), lambda row, mode: row == 32))

    def rows(self, quick):
        return [1.5] if quick else [0.5, 1.5, 2, 4, 32]

    def measure_all(self, contenders, rows, quick, failed, begun):
        values = {}
        for row in rows:
            begun(row)
            values[row] = self._row(
                contenders, row, quick, lambda contender, error, row=row: failed(row, contender, error))
        return values

    def _row(self, contenders, row, quick, failed) -> dict:
        """By engine. One at a time, so that they do not take from each other what both use."""
        seconds = 20.0 if quick else 60.0
        source = 2 * seconds if row == 32 else seconds * row
        less = SHORT if row == 32 else SHORT * row
        least = {}
        able = [contender for contender in contenders if contender.able(row)]
        if not able:
            return {}
        paths = self._sources(able[0].bench, able[0].mode, source, less)
        for _ in range(2 if quick else 4):
            for contender in list(able):
                try:
                    for which, path in enumerate(paths):
                        taken = self._cpu_seconds(contender, row, path)
                        key = contender.engine.name, which
                        least[key] = min(taken, least.get(key, taken))
                except OSError as error:
                    failed(contender, f"{contender.engine.name}: {error}")
                    able.remove(contender)
        counted = source - less if row == 32 else (source - less) / row
        costs = {
            name: max(least[name, 1] - least[name, 0], 1e-6) / counted
            for name in (contender.engine.name for contender in able)}
        return {name: self._values(cost, costs.get("sonic"), able[0].mode, row) for name, cost in costs.items()}

    def _values(self, cost: float, sonic: float | None, mode: str, row: float) -> dict:
        values = {"core": 100 * cost, "speed": 1 / cost}
        if sonic is not None:
            values["scan" if row == 32 else "sonic" if mode == "speech" else "music"] = cost / sonic
        return values

    def _sources(self, bench, mode: str, seconds: float, less: float) -> list:
        """A short file and a long one."""
        made = signals.band(30) if mode == "music" else signals.talk(30)
        paths = []
        for length in (less, seconds):
            frames = round(length * made.rate)
            samples = numpy.tile(made.samples, (-(-frames // len(made.samples)), 2 // made.samples.shape[1]))[:frames]
            paths.append(bench.path(f"cost{len(paths)}.wav"))
            sound.write(paths[-1], Sound(samples, made.rate))
        return paths

    def _cpu_seconds(self, contender, rate: float, path: str) -> float:
        """User and system time of one process, from its start to its end."""
        target = contender.bench.path("cost.out.wav")
        command = contender.engine.command(Setting(contender.mode, rate), path, target, None)
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise OSError(f"ended with status {process.returncode}")
        return usage.ru_utime + usage.ru_stime
