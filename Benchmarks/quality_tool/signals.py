"""The signals that engines are tried on, all made here. Times of events are returned with them, in seconds."""

import numpy
from scipy import signal

from .sound import Sound, sound

RATE = 44100
NOTES = (261.63, 329.63, 392.0, 493.88)  # C, E, G, B: a chord with many close partials
PARTIALS = 5


def _times(seconds: float, rate: int = RATE) -> numpy.ndarray:
    return numpy.arange(round(seconds * rate)) / rate


def tone(hertz: float, seconds: float, level: float = 0.5) -> Sound:
    return sound(level * numpy.sin(2 * numpy.pi * hertz * _times(seconds)), RATE)


def quadrature(hertz: float, seconds: float) -> Sound:
    """Sine to the left, cosine to the right."""
    angle = 2 * numpy.pi * hertz * _times(seconds)
    return sound(0.5 * numpy.stack([numpy.sin(angle), numpy.cos(angle)], axis=1), RATE)


def chord_hertz() -> list:
    return sorted(note * partial for note in NOTES for partial in range(1, PARTIALS + 1))


def chord(seconds: float, level: float = 0.07) -> Sound:
    """Four notes of five partials, whose level falls with their number; each with a phase of its own."""
    times, samples = _times(seconds), 0
    phases = numpy.random.default_rng(1).uniform(0, 2 * numpy.pi, (len(NOTES), PARTIALS))
    for note, row in zip(NOTES, phases):
        for partial, phase in enumerate(row, 1):
            samples = samples + level / partial * numpy.sin(2 * numpy.pi * note * partial * times + phase)
    return sound(samples, RATE)


def _irregular(seconds: float, least: float, most: float, seed: int) -> numpy.ndarray:
    """Times that no grid of an engine can follow."""
    steps = numpy.random.default_rng(seed).uniform(least, most, int(seconds / least))
    times = 0.5 + numpy.cumsum(steps)
    return times[times < seconds - 0.5]


def _burst(seed: int, decay: float, rise: float = 0.001, seconds: float = 0.3) -> numpy.ndarray:
    """Noise that is there at once, and fades."""
    times = _times(seconds)
    noise = numpy.random.default_rng(seed).standard_normal(len(times))
    return noise * numpy.minimum(1, times / rise) * numpy.exp(-times / decay)


def _add(samples: numpy.ndarray, at: float, what: numpy.ndarray):
    start = round(at * RATE)
    what = what[:max(0, len(samples) - start)]
    samples[start:start + len(what)] += what


def hits(seconds: float) -> tuple:
    """Bursts of noise over the chord, and when they begin."""
    samples = chord(seconds, 0.04).mono.copy()
    times = _irregular(seconds, 0.55, 0.8, 2)
    for index, time in enumerate(times):
        _add(samples, time, 0.15 * _burst(100 + index, 0.02))
    return sound(samples, RATE), times


CLICK = 0.5  # its level


def clicks(seconds: float) -> tuple:
    """Clicks a fifth of a millisecond long over silence, and when their middles are."""
    times = _irregular(seconds, 0.22, 0.38, 3)
    offsets = numpy.arange(-64, 65) / RATE
    samples = numpy.zeros(round(seconds * RATE))
    for index, time in enumerate(times):
        middle = round(time * RATE)
        times[index] = middle / RATE
        samples[middle - 64:middle + 65] += CLICK * numpy.exp(-(offsets / 1e-4) ** 2 / 2)
    return sound(samples, RATE), times


def drums(seconds: float, speed: float = 1, bar: float = 2.0) -> tuple:
    """A drum kit at a tempo: kick, snare, hats, and a tom now and then. The drums themselves are the same at any tempo.

    So the pattern at another speed is what stretching should come to. The times are those of kicks and snares.
    """
    samples = numpy.zeros(round(seconds * RATE))
    times = _times(0.4)
    kick = 0.55 * numpy.sin(2 * numpy.pi * (45 * times + 9 * (1 - numpy.exp(-times / 0.02)))) * numpy.exp(-times / 0.12)
    kick += 0.05 * _burst(1, 0.004, 0.0005, 0.4)
    snare = 0.2 * numpy.sin(2 * numpy.pi * 190 * times) * numpy.exp(-times / 0.06) + 0.16 * _burst(2, 0.07, 0.0008, 0.4)
    high = signal.butter(4, 7000, "high", fs=RATE, output="sos")
    hat = 0.12 * signal.sosfilt(high, _burst(3, 0.025, 0.0005, 0.2))
    tom = 0.3 * numpy.sin(2 * numpy.pi * (110 * times + 3 * (1 - numpy.exp(-times / 0.05)))) * numpy.exp(-times / 0.1)
    step = bar / 16 / speed
    loud = []
    for index in range(int(seconds / step)):
        at, place = index * step, index % 16
        if place in (0, 6, 8):
            _add(samples, at, kick)
            loud.append(at)
        if place in (4, 12):
            _add(samples, at, snare)
            loud.append(at)
        if place % 2 == 0:
            _add(samples, at, hat * (1 if place % 4 else 0.6))
        if index % 64 in (61, 62, 63):
            _add(samples, at, tom)
    return sound(samples, RATE), numpy.array(loud)


def band(seconds: float, speed: float = 1) -> Sound:
    """Both: the drums over the chord, stereo and not the same in both channels. What the cost is measured on."""
    kit, harmony = drums(seconds, speed)[0].mono, chord(seconds, 0.05).mono
    noise = 0.002 * numpy.random.default_rng(9).standard_normal((2, len(kit)))
    return sound(numpy.stack([kit + 0.8 * harmony, kit + 0.6 * numpy.roll(harmony, 200)], axis=1) * 0.6 + noise.T, RATE)


def talk(seconds: float, rate: int = RATE) -> Sound:
    """Speech-like: pulses of a gliding pitch through moving formants, in syllables, with hisses between them."""
    random = numpy.random.default_rng(5)
    count = round(seconds * rate)
    times = numpy.arange(count) / rate
    pitch = 115 + 25 * numpy.sin(2 * numpy.pi * 0.4 * times) + 8 * numpy.sin(2 * numpy.pi * 2.3 * times)
    turns = numpy.cumsum(pitch) / rate
    pulses = numpy.diff(numpy.floor(turns), prepend=0)
    samples = numpy.zeros(count)
    at = 0
    while at < count:
        length = min(round(rate * random.uniform(0.12, 0.26)), count - at)
        part = slice(at, at + length)
        if random.random() < 0.2:  # a hiss
            voiced = 0.12 * signal.lfilter([1, -0.9], 1, random.standard_normal(length))
        else:
            voiced = pulses[part] * 1.0
            for low, high, width in ((300, 800, 70), (900, 2200, 100), (2300, 2900, 150)):
                middle = random.uniform(low, high)
                radius = numpy.exp(-numpy.pi * width / rate)
                turn = numpy.cos(2 * numpy.pi * middle / rate)
                voiced = signal.lfilter([1 - radius], [1, -2 * radius * turn, radius**2], voiced)
            voiced /= max(numpy.abs(voiced).max(), 1e-9) / 0.4
        samples[part] = voiced * numpy.sin(numpy.pi * (numpy.arange(length) + 0.5) / length) ** 0.5
        at += length + (round(rate * 0.3) if random.random() < 0.12 else 0)
    return sound(samples, rate)
