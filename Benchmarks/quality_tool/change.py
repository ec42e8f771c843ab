"""Figures of rate and pitch that change on the way, by an engine that takes a script.

An engine takes one where it can be called as `PROGRAM MODE @SCRIPT - IN.wav OUT.wav`. Each line of the script is
"outputSecond rate cents": from that frame of the output on (the time × the sample rate, rounded) these hold; the first
line is for 0. What is left of the input when it ends is drained. Two kinds of lines on standard output are understood:

    latency SECONDS             what the engine reports as its latency at the first line's setting
    position OUTPUT MEDIA       at that second of the file written, the position in the input that the engine reports;
                                the last for the end of the file

Engines that look ahead obey a change some milliseconds late, which adds up. Where they report positions, these say what should be heard
when: then a length or a click counts as wrong that does not agree with them.
"""

import numpy

from . import metrics, signals
from .figure import Figure, Measure, most

EVERY = 0.2  # seconds from a change to the next
RATES = (1, 1.6, 0.8, 1.25, 2, 0.9, 1.45)
CENTS = (0, 700, -500, 100, -100, 1200, -30)


def script(output: float, rates: tuple, cents: tuple) -> list:
    """Changes until a second of the output, as (second, rate, cents)."""
    return [
        (round(index * EVERY, 6), rates[index % len(rates)], cents[index % len(cents)])
        for index in range(round(output / EVERY))]


def text(changes: list) -> str:
    return "".join(f"{second:.6f} {rate:.12g} {cents:.12g}\n" for second, rate, cents in changes)


class Timeline:
    """Which frame of the input is heard at which frame of the output."""

    def __init__(self, changes: list, rate: int):
        self.rate = rate
        self.output = [round(second * rate) for second, _, _ in changes]
        self.speed = [speed for _, speed, _ in changes]
        self.input = [0.0]
        for index in range(1, len(changes)):
            self.input.append(self.input[-1] + (self.output[index] - self.output[index - 1]) * self.speed[index - 1])

    def heard(self, second: float) -> float:
        """When a second of the input is heard."""
        frame = second * self.rate
        index = max(0, int(numpy.searchsorted(self.input, frame, "right")) - 1)
        return (self.output[index] + (frame - self.input[index]) / self.speed[index]) / self.rate


def lines(said: str, word: str) -> list:
    """The numbers behind a word at the start of lines."""
    found = []
    for line in said.splitlines():
        first, *rest = line.split()[:3] or [""]
        if first == word:
            found.append([float(number) for number in rest])
    return found


class Steps(Figure):
    name = "steps"
    title = "A tone of 440 Hz while rate, pitch or both step five times a second: what is above 2.5 kHz, dB"
    modes = ("music", "speech")
    measures = (
        Measure("residue", "residue", goal=most(-60)), Measure("frames", "length off, frames", "{:.0f}", most(0)),
        Measure("latency", "latency, ms", goal=most(100), where=lambda row, mode: mode == "music"),
        Measure("lag", "latency, ms", goal=most(50), where=lambda row, mode: mode == "speech"))

    def rows(self, quick):
        return ["rate", "pitch", "both"]

    def label(self, row):
        return row

    def measure(self, contender, row):
        changes = script(5, RATES if row != "pitch" else (1.25,), CENTS if row != "rate" else (0,))
        if not contender.able(script=text(changes)):
            return None
        tone = signals.tone(440, 8)
        heard, said = contender.ask(tone, text(changes))
        values = {"residue": metrics.residue(heard, 2500, tone)}
        if contender.engine.ours:  # others are told of a change when they have buffered what comes after it
            off = len(heard.samples) - Timeline(changes, tone.rate).heard(tone.seconds) * tone.rate
            if positions := lines(said, "position"):
                output, media = positions[-1]
                speed = changes[-1][1]
                off = len(heard.samples) - (output + (tone.seconds - media) / speed) * tone.rate
            values["frames"] = max(0.0, float(numpy.ceil(abs(off) - 0.5 - 1e-3)))
        if latency := lines(said, "latency"):
            values["latency" if contender.mode == "music" else "lag"] = latency[0][0] * 1000
        return values


class Ruler(Figure):
    name = "ruler"
    title = "Clicks while the rate steps five times a second: how far from their place, and from the position reported"
    modes = ("music", "speech", "varispeed")
    measures = (
        Measure("lost", "lost", "{:d}", most(0)), Measure("median", "off, median ms", "{:+.2f}"),
        Measure("late", "beside instant changes, ms", "{:.2f}"),
        Measure("worst", "off, worst ms", "{:.2f}", most(1), lambda row, mode: mode != "speech"),
        Measure("position", "position off, ms", "{:.2f}", most(1), lambda row, mode: mode != "speech"),
        Measure("drift", "position off, ms", "{:.2f}"))
    peer_modes = ()

    def rows(self, quick):
        return ["clicks"]

    def label(self, row):
        return row

    def measure(self, contender, row):
        changes = script(14, RATES, (0,))
        if not contender.able(script=text(changes)):
            return None
        what, times = signals.clicks(15)
        heard, said = contender.ask(what, text(changes))
        timeline = Timeline(changes, what.rate)
        asked = [timeline.heard(time) for time in times]
        expected = asked
        if positions := lines(said, "position"):
            output, media = numpy.array(positions).T
            expected = [float(numpy.interp(time, media, output)) for time in times]
        values, places = metrics.clicks_at(heard, expected, signals.CLICK)
        values["late"] = float(numpy.max(numpy.abs(numpy.subtract(expected, asked)))) * 1000
        if positions:
            off = [
                abs(numpy.interp(place, output, media) - time)
                for place, time in zip(places, times) if place is not None]
            values["drift" if contender.mode == "speech" else "position"] = max(off, default=numpy.nan) * 1000
        return values
