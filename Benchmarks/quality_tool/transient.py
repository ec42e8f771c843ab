"""Figures of what happens at once: attacks and clicks, their shape, their number and their place."""

from . import metrics, signals
from .figure import Figure, Measure, least, most

RATES = (0.5, 0.75, 1.25, 1.5, 2)


def _judged(row, mode):
    return mode == "music" and 0.75 <= row <= 2


class Attack(Figure):
    name = "attack"
    title = "Bursts of noise over the chord, above 4 kHz (the source: 1.4 ms)"
    modes = ("music", "speech")
    measures = (
        Measure("rise", "rise, ms", goal=most(2.5), where=_judged),
        Measure("pre-echo", "pre-echo, dB", goal=most(-30), where=_judged),
        Measure("double", "double, each", "{:.2f}", most(0), lambda row, mode: mode == "music"),
        Measure("jitter", "jitter, ms", "{:.2f}"))

    def rows(self, quick):
        return [0.75, 1.5] if quick else [1, *RATES]

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        what, times = signals.hits(12)
        return metrics.attack_shape(contender.render(what, row, key="hits"), times / row)


class Clicks(Figure):
    name = "clicks"
    title = "Clicks over silence: how many are lost (12 dB down) and doubled, and how far they are from their place"
    modes = ("music", "speech")
    measures = (
        Measure("lost", "lost", "{:d}", most(0)),
        Measure("double", "double", "{:d}", most(0), lambda row, mode: mode == "music"),
        Measure("median", "off, median ms", "{:+.2f}"),
        Measure("worst", "off, worst ms", "{:.2f}", most(1), lambda row, mode: mode == "music"))

    def rows(self, quick):
        return [0.75, 1.5] if quick else [1, *RATES]

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        what, times = signals.clicks(15)
        return metrics.click_train(contender.render(what, row, key="clicks"), times / row, signals.CLICK)


class Drums(Figure):
    name = "drums"
    title = "A drum kit, against the same pattern played at that tempo: difference of mel spectra, dB"
    modes = ("music", "speech", "auto")
    measures = (Measure("distance", "distance", "{:.2f}"),)
    peer_modes = ("music", "speech")

    def rows(self, quick):
        return [0.75, 1.5] if quick else list(RATES)

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        heard = contender.render(signals.drums(12)[0], row, key="drums")
        return {"distance": metrics.mel_distance(signals.drums(12 / row, row)[0], heard, 6 / row)}
