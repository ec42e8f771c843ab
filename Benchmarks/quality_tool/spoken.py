"""Figures of speech: there and back again at each rate, by every voice, beside Sonic in the same run."""

from . import voices
from .figure import Figure, Measure, least


class Speech(Figure):
    name = "speech"
    title = "Speech stretched by a rate and then by its inverse: wide-band PESQ, and STOI"
    modes = ("speech",)
    spoken = True
    measures = (
        Measure("pesq", "PESQ", "{:.2f}", least(-0.05, "sonic")),
        Measure("stoi", "STOI", "{:.3f}", least(-0.02, "sonic")))

    def rows(self, quick):
        names = [name for name in voices.available() if not quick or name in voices.SOME]
        return [(name, rate) for rate in ((1.5,) if quick else (0.75, 1.5, 2)) for name in names]

    def label(self, row):
        return f"{row[0]} {row[1]:g}x"

    def measure(self, contender, row):
        name, rate = row
        if not contender.able(rate) or not contender.able(1 / rate):
            return None
        original = voices.speech(name)
        return voices.scores(original, contender.render(contender.render(original, rate), 1 / rate))

    def measure_all(self, contenders, rows, quick, failed, begun):
        """With the mean of all voices at each rate, by engines that have stretched them all."""
        values = super().measure_all(contenders, rows, quick, failed, begun)
        for rate in dict.fromkeys(rate for _, rate in rows):
            cells = [values[row] for row in rows if row[1] == rate]
            names = [contender.engine.name for contender in contenders]
            values["mean", rate] = {
                name: {key: sum(cell[name][key] for cell in cells) / len(cells) for key in cells[0][name]}
                for name in names if all(name in cell for cell in cells)}
        return values


class SpokenPitch(Figure):
    name = "speech-pitch"
    title = "Speech at another pitch and back: wide-band PESQ, and STOI"
    measures = (Measure("pesq", "PESQ", "{:.2f}"), Measure("stoi", "STOI", "{:.3f}"))
    modes = ("music", "speech")
    spoken = True

    def rows(self, quick):
        names = [name for name in voices.available() if name in voices.SOME]
        return [(name, cents) for cents in (-600, 600) for name in names]

    def label(self, row):
        return f"{row[0]} {row[1]:+d} c"

    def measure(self, contender, row):
        name, cents = row
        if not contender.able(1, cents):
            return None
        original = voices.speech(name)
        there = contender.render(original, 1, cents, key=("voice", name))
        return voices.scores(original, contender.render(there, 1, -cents, key=("voice back", name, cents)))
