"""Figures of tones and chords: what is there beside them, at another rate, another pitch, and in two channels."""

from . import metrics, signals
from .figure import Figure, Measure, least, most

RATES = (0.5, 0.75, 1.25, 1.5, 2, 3, 4)
SOME_RATES = (0.5, 1.5, 2)


def seconds_for(rate: float) -> float:
    """Long enough for three seconds to come out, two at high rates."""
    return max(4.0, (3.0 if rate <= 4 else 2.0) * rate)


class Tone(Figure):
    name = "tone"
    title = "Tones of 100 Hz to 8 kHz: power to that of all the rest, dB, the worst of the tones"
    modes = ("music", "speech")
    measures = (Measure("worst", "SNR", goal=least(60), where=lambda row, mode: mode == "music"),
                Measure("hertz", "at Hz", "{:.0f}"))
    peer_modes = ("music",)
    TONES = (100, 200, 440, 1000, 2000, 4000, 8000)

    def rows(self, quick):
        return list(SOME_RATES if quick else (*RATES, 10, 32))

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        ratios = {}
        for hertz in self.TONES if row <= 4 else (440, 4000):
            heard = contender.render(signals.tone(hertz, seconds_for(row)), row, key=("tone", hertz))
            ratios[hertz] = metrics.fit_snr(heard, hertz)
        worst = min(ratios, key=ratios.get)
        return {"worst": ratios[worst], "hertz": worst, "all": ratios}


class Chord(Figure):
    name = "chord"
    title = "A chord of four notes with five partials: power to that of all the rest, dB"
    measures = (Measure("snr", "SNR", goal=least(16), where=lambda row, mode: mode == "music" and 0.5 <= row <= 4),)

    def rows(self, quick):
        return list(SOME_RATES if quick else (*RATES, 10, 32))

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        heard = contender.render(signals.chord(seconds_for(row)), row, key="chord")
        return {"snr": metrics.fit_snr(heard, signals.chord_hertz(), 0.3)}


class Pitch(Figure):
    name = "pitch"
    title = "Another pitch at rate 1: SNR in dB of a tone of 440 Hz and of the chord; what aliases of 15 kHz, dB"
    measures = (
        Measure("tone", "tone", goal=least(60)),
        Measure("chord", "chord", goal=least(14), where=lambda row, _: abs(row) <= 1200),
        Measure("alias", "alias", goal=most(-60)))

    def rows(self, quick):
        return [-600, 600] if quick else [-2400, -1200, -600, -100, 100, 600, 1200, 2400]

    def label(self, row):
        return f"{row:+d} c"

    def measure(self, contender, row):
        if not contender.able(1, row):
            return None
        ratio = 2 ** (row / 1200)
        tone = contender.render(signals.tone(440, 4), 1, row, key=("tone", 440))
        chord = contender.render(signals.chord(4), 1, row, key="chord")
        values = {
            "tone": metrics.fit_snr(tone, 440 * ratio),
            "chord": metrics.fit_snr(chord, [hertz * ratio for hertz in signals.chord_hertz()], 0.3)
        }
        if 15000 * ratio > 0.51 * signals.RATE:
            high = signals.tone(15000, 4)
            values["alias"] = metrics.residue(contender.render(high, 1, row, key=("tone", 15000)), 20, high)
        return values


class Stereo(Figure):
    name = "stereo"
    title = "Two channels, and the level: a tone of 440 Hz, sine to the left and cosine to the right"
    modes = ("music", "speech")
    measures = (
        Measure("phase", "phase, degrees off", goal=most(1)),
        Measure("modulation", "modulation, dB", "{:.2f}", most(0.5)),
        Measure("level", "level, dB", "{:+.2f}"),
        Measure("worse", "level off, dB", "{:.2f}", most(0.1), lambda row, mode: mode == "music" or row <= 2))

    def rows(self, quick):
        return list(SOME_RATES if quick else RATES)

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        heard = contender.render(signals.quadrature(440, seconds_for(row)), row, key="quadrature")
        level = metrics.level(heard, 440, 0.5)
        return {
            "phase": metrics.quadrature_error(heard, 440), "modulation": metrics.modulation(heard, 440),
            "level": level, "worse": abs(level),
        }


class Varispeed(Figure):
    name = "varispeed"
    title = "Varispeed, rate and pitch as one: SNR in dB of tones of 440 Hz and 8 kHz; what aliases of 15 kHz, dB"
    modes = ("varispeed",)
    measures = (
        Measure("low", "440 Hz", goal=least(80)), Measure("high", "8 kHz", goal=least(80)),
        Measure("alias", "alias", goal=most(-80)))
    peer_modes = ()

    def rows(self, quick):
        return [0.75, 1.5] if quick else [0.25, 0.5, 0.75, 0.9, 1.1, 1.5, 2, 4]

    def measure(self, contender, row):
        if not contender.able(row):
            return None
        seconds = seconds_for(row)
        values = {"low": metrics.fit_snr(contender.render(signals.tone(440, seconds), row), 440 * row)}
        if 8000 * row < 0.4 * signals.RATE:
            values["high"] = metrics.fit_snr(contender.render(signals.tone(8000, seconds), row), 8000 * row)
        if 15000 * row > 0.51 * signals.RATE:
            high = signals.tone(15000, seconds)
            values["alias"] = metrics.residue(contender.render(high, row), 20, high)
        return values
