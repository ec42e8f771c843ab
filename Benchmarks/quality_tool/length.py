"""Figures of how long what comes out is, and of what comes out where nothing is to be changed."""

import numpy

from . import metrics, signals, sound
from .figure import Figure, Measure, most

RATES = (
    "1/32", "1/20", "0.1", "0.25", "1/3", "0.5", "0.7", "0.75", "0.9", "0.999", "1.001", "1.1", "1.25", "1.37", "1.5",
    "1.75", "2", "2.5", "3", "3.3", "4", "5.5", "8", "10", "16", "20", "31.4", "32")
FRAMES = (44237, 1009, 1)


class Length(Figure):
    name = "length"
    title = "Frames that come out, beside frames ÷ rate; the level of the first and the last 20 ms of a tone, dB"
    modes = ("music", "speech", "auto", "varispeed")
    measures = (
        Measure("off", "off by frames", "{:.0f}", most(0)), Measure("start", "start", "{:+.1f}"),
        Measure("end", "end", "{:+.1f}"))
    peer_modes = ("music",)

    def rows(self, quick):
        return ["1/32", "0.7", "1.5", "32"] if quick else list(RATES)

    def label(self, row):
        return f"{row}x"

    def measure(self, contender, row):
        above, _, below = row.partition("/")
        rate = float(f"{int(above) / int(below):.12g}" if below else row)
        if not contender.able(rate):
            return None
        values = {"off": 0.0}
        for frames in FRAMES:
            if frames == 1 and not contender.engine.ours:
                continue
            tone = signals.tone(1000, 1.1)
            heard = contender.render(sound.Sound(tone.samples[:frames], tone.rate), rate, key=("length", frames))
            # Half a frame may be rounded either way.
            off = float(numpy.ceil(abs(len(heard.samples) - frames / rate) - 0.5))
            values["off"] = max(values["off"], off)
            if frames == FRAMES[0] and heard.seconds > 0.1 and contender.mode != "varispeed":
                piece = round(0.02 * heard.rate)
                power = [numpy.mean(part**2) for part in (heard.mono[:piece], heard.mono[-piece:], tone.mono)]
                values["start"], values["end"] = (float(metrics.decibels(each / power[2])) for each in power[:2])
        return values


class Transparent(Figure):
    name = "transparent"
    title = "Rate 1 and pitch 0: samples that are not the same, to the bit"
    modes = ("music", "speech", "auto", "varispeed")
    measures = (Measure("different", "different", "{:d}", most(0)),)
    peer_modes = ()

    def rows(self, quick):
        return [1]

    def measure(self, contender, row):
        what = sound.as_heard(signals.band(4))
        heard = contender.render(what, key="band 4")
        length = min(len(what.samples), len(heard.samples))
        more = abs(len(what.samples) - len(heard.samples)) * what.samples.shape[1]
        return {"different": int((what.samples[:length] != heard.samples[:length]).sum()) + more}
