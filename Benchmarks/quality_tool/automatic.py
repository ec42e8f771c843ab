"""The automatic choice: it must come to what the right mode comes to, once it has heard enough to choose."""

import numpy

from . import metrics, signals, voices
from .figure import Figure, Measure, most
from .sound import Sound, sound

LEAD = 6.0  # seconds of the source that it may take to choose, and to choose anew


def after(first: Sound, second: Sound) -> Sound:
    """One sound and then another, of the same rate."""
    return Sound(numpy.concatenate([first.samples, second.samples]), first.rate)


class Automatic(Figure):
    name = "auto"
    title = "The automatic choice beside the right mode: PESQ there and back for speech, mel distance in dB for drums"
    modes = ("auto",)
    spoken = True
    measures = (
        Measure("auto", "auto", "{:.2f}"), Measure("right", "the right mode", "{:.2f}"),
        Measure("wrong", "the other mode", "{:.2f}"), Measure("loss", "worse by", "{:.2f}", most(0.1)),
        Measure("difference", "apart", "{:.2f}", most(0.3)), Measure("snr", "worse by, dB", "{:.1f}", most(1)))
    peer_modes = ()

    def rows(self, quick):
        spoken = [name for name in voices.available() if name in voices.SOME or not quick and name in voices.LONG]
        rates = (1.5,) if quick else (0.75, 1.5, 2)
        names = (*spoken, "talk", "drums", "band", "chord")
        changes = [(f"{name} after drums", 1.5) for name in spoken if name in voices.SOME] + [("chord after talk", 1.5)]
        return [(name, rate) for rate in rates for name in names] + changes

    def label(self, row):
        return f"{row[0]} {row[1]:g}x"

    def measure(self, contender, row):
        name, rate = row
        if not contender.able(rate) or not contender.able(1 / rate):
            return None
        name, _, before = name.partition(" after ")
        if name == "chord":
            return self._chord(contender, rate, before)
        if name in ("drums", "band"):
            return self._drums(contender, rate, name)
        return self._speech(contender, rate, name, before)

    def _speech(self, contender, rate: float, name: str, before: str) -> dict:
        said = signals.talk(10) if name == "talk" else voices.speech(name)
        if before:
            said = sound(voices.resampled(said, signals.RATE), signals.RATE)
        lead = said.seconds * int(numpy.ceil(LEAD / said.seconds))
        original = Sound(numpy.tile(said.samples, (round(lead / said.seconds) + 1, 1)), said.rate)
        if before:
            original = after(signals.drums(8)[0], original)
            lead += 8
        found = {}
        for mode in ("auto", "speech", "music"):
            there = contender.render(original, rate, mode=mode)
            back = contender.render(there, 1 / rate, mode=mode)
            found[mode] = voices.scores(original.between(lead), back.between(lead))["pesq"]
        return {
            "auto": found["auto"], "right": found["speech"], "wrong": found["music"],
            "loss": found["speech"] - found["auto"]}

    def _drums(self, contender, rate: float, name: str) -> dict:
        def make(speed):
            seconds = (LEAD + 8) / speed
            return signals.band(seconds, speed) if name == "band" else signals.drums(seconds, speed)[0]

        original, ideal = make(1), make(rate)
        found = {
            mode: metrics.mel_distance(ideal, contender.render(original, rate, mode=mode), LEAD / rate)
            for mode in ("auto", "music", "speech")}
        return {
            "auto": found["auto"], "right": found["music"], "wrong": found["speech"],
            "difference": abs(found["auto"] - found["music"])}

    def _chord(self, contender, rate: float, before: str) -> dict:
        original, lead, found = signals.chord(LEAD + 6), LEAD, {}
        if before:
            original = after(signals.talk(8), original)
            lead += 8
        for mode in ("auto", "music", "speech"):
            heard = contender.render(original, rate, mode=mode).between(lead / rate)
            found[mode] = metrics.fit_snr(heard, signals.chord_hertz(), 0.3)
        return {
            "auto": found["auto"], "right": found["music"], "wrong": found["speech"],
            "snr": found["music"] - found["auto"]}
