"""Whether the metrics find what is there: faults of known size are put into signals, and must come out as that size."""

import numpy

from . import change, metrics, signals, voices
from .figure import least, most
from .sound import Sound, sound


def breaches() -> list:
    """What does not hold, as text."""
    found = []
    for name, value, expected, tolerance in _cases():
        if not abs(value - expected) <= tolerance:
            found.append(f"{name}: {value:g} instead of {expected:g}")
    return found


def _cases():
    yield from _tones()
    yield from _attacks()
    yield from _clicks()
    yield from _changes()
    yield from _speech()
    yield "a goal that is met", least(16).met(16.0, {}), True, 0
    yield "a goal beside another engine", most(0, "sonic", 1.5).met(1.6, {"sonic": 1.0}), False, 0
    yield "what is not a number meets no goal", least(16).met(numpy.nan, {}), False, 0


def _tones():
    tone = signals.tone(440, 4)
    noise = numpy.random.default_rng(7).standard_normal(tone.samples.shape)
    yield "SNR of a tone", metrics.fit_snr(Sound(tone.samples + noise * 0.5**0.5 / 2 / 10, tone.rate), 440), 20, 0.3
    yield "level of a tone", metrics.level(Sound(tone.samples / 2, tone.rate), 440, 0.5), -6.02, 0.01
    slow = 10 ** (numpy.sin(2 * numpy.pi * numpy.arange(len(tone.samples)) / tone.rate) / 20)
    yield "modulation by 1 dB up and down", metrics.modulation(sound(tone.mono * slow, tone.rate), 440), 2, 0.05
    late = signals.tone(440, 5).mono[round(4.9 / 360 * tone.rate / 440):][:len(tone.samples)]
    turned = round(4.9 / 360 * tone.rate / 440) * 360 * 440 / tone.rate
    pair = numpy.stack([late, signals.quadrature(440, 4).samples[:, 1]], axis=1)
    yield "degrees between channels", metrics.quadrature_error(Sound(pair, tone.rate), 440), turned, 0.05
    broken = tone.samples.copy()
    broken[round(2 * tone.rate):] *= -1
    yield "a clean tone leaves nothing above", metrics.residue(tone, 2500, tone) < -100, True, 0
    yield "a turn of the phase is heard above", metrics.residue(Sound(broken, tone.rate), 2500, tone) > -20, True, 0


def _attacks():
    what, times = signals.hits(8)
    clean = metrics.attack_shape(what, times)
    yield "rise of the source", clean["rise"], 1.4, 0.2
    yield "attacks of the source are single", clean["double"], 0, 0
    bursts = what.mono - signals.chord(8, 0.04).mono

    def moved(seconds, factor):
        shift = round(seconds * what.rate)
        return sound(what.mono + factor * numpy.roll(bursts, shift), what.rate)

    yield "a copy after each hit", metrics.attack_shape(moved(0.03, 1), times)["double"], 1, 0.2
    yield "a copy before each hit, 20 dB down", metrics.attack_shape(moved(-0.02, 0.1), times)["pre-echo"], -22, 3


def _clicks():
    what, times = signals.clicks(8)
    first = round(times[0] * what.rate)
    lost = what.samples.copy()
    lost[first - 100:first + 100] = 0
    yield "a click that is not there", metrics.click_train(Sound(lost, what.rate), times, signals.CLICK)["lost"], 1, 0
    twice = what.samples.copy()
    twice[first + 300:first + 500] += what.samples[first - 100:first + 100]
    yield "a click twice", metrics.click_train(Sound(twice, what.rate), times, signals.CLICK)["double"], 1, 0
    late = numpy.roll(what.samples, round(0.003 * what.rate), axis=0)
    off = metrics.click_train(Sound(late, what.rate), times, signals.CLICK)
    yield "clicks that are late, at the median", off["median"], 3, 0.03
    yield "clicks that are late, at the worst", off["worst"], 3, 0.03


def _changes():
    timeline = change.Timeline([(0, 2.0, 0), (1, 0.5, 0)], 44100)
    yield "a time before a change of the rate", timeline.heard(1), 0.5, 1e-9
    yield "a time after a change of the rate", timeline.heard(3), 3, 1e-9
    yield "a position that is printed", change.lines("x 1\nposition 2.5 3\n", "position")[0][1], 3, 0


def _speech():
    said = signals.talk(6, 16000)
    late = numpy.roll(said.mono, 640)
    yield "speech that is late, in samples", voices.offset(said.mono, late), 640, 16
    scores = voices.scores(said, sound(late, 16000))
    yield "PESQ of the same", scores["pesq"], 4.6, 0.05
    yield "STOI of the same", scores["stoi"], 1, 0.001
    noise = 0.1 * numpy.random.default_rng(8).standard_normal(len(late))
    yield "PESQ tells noise", voices.scores(said, sound(late + noise, 16000))["pesq"] < 2, True, 0
