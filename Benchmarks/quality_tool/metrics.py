"""What is measured of a sound. Levels are in dB, times in milliseconds unless a name says otherwise."""

import numpy
from scipy import signal

from .sound import Sound

SILENCE = 1e-30


def decibels(power) -> float:
    return 10 * numpy.log10(numpy.maximum(power, SILENCE))


def _frames(samples: numpy.ndarray, rate: int, seconds: float, edge: float):
    """Pieces of the middle; what lies within `edge` seconds of the ends belongs to starting and draining."""
    length, first = round(seconds * rate), round(edge * rate)
    for at in range(first, len(samples) - first - length + 1, length):
        yield samples[at:at + length]


def _basis(hertz, length: int, rate: int) -> numpy.ndarray:
    angle = 2 * numpy.pi * numpy.outer(numpy.arange(length), numpy.atleast_1d(hertz)) / rate
    return numpy.concatenate([numpy.sin(angle), numpy.cos(angle)], axis=1)


def fit_snr(what: Sound, hertz, seconds: float = 0.25, edge: float = 0.3) -> float:
    """Median over pieces of the power of sines at these very frequencies, fitted by least squares, to all the rest."""
    base = inverse = None
    ratios = []
    for piece in _frames(what.mono, what.rate, seconds, edge):
        if base is None:
            base = _basis(hertz, len(piece), what.rate)
            inverse = numpy.linalg.pinv(base, rcond=1e-9)
        fitted = base @ (inverse @ piece)
        ratios.append(decibels((fitted**2).sum()) - decibels(((piece - fitted) ** 2).sum()))
    if not ratios:
        raise ValueError(f"{what.seconds:.3f} s are too short")
    return float(numpy.median(ratios))


def _phasors(samples: numpy.ndarray, rate: int, hertz: float, seconds: float, edge: float) -> numpy.ndarray:
    """Amplitude and phase of a sine in each piece."""
    found, inverse = [], None
    for piece in _frames(samples, rate, seconds, edge):
        if inverse is None:
            inverse = numpy.linalg.pinv(_basis(hertz, len(piece), rate))
        sine, cosine = inverse @ piece
        found.append(sine + 1j * cosine)
    return numpy.array(found)


def modulation(what: Sound, hertz: float, edge: float = 0.3) -> float:
    """How far the level of a tone goes up and down: from the 1st to the 99th percentile of periods of 10 ms or more."""
    levels = numpy.abs(_phasors(what.mono, what.rate, hertz, max(0.01, 4 / hertz), edge))
    low, high = numpy.percentile(levels, [1, 99])
    return float(2 * decibels(high / max(low, 1e-9)))


def level(what: Sound, hertz: float, reference: float, edge: float = 0.3) -> float:
    """A tone's median level, relative to an amplitude."""
    return float(2 * decibels(numpy.median(numpy.abs(_phasors(what.mono, what.rate, hertz, 0.05, edge))) / reference))


def quadrature_error(what: Sound, hertz: float, edge: float = 0.3) -> float:
    """Degrees that the phase between two channels is away from a quarter of a turn, at the worst."""
    left, right = (_phasors(what.samples[:, channel], what.rate, hertz, 0.05, edge) for channel in (0, 1))
    return float(numpy.degrees(numpy.abs(numpy.angle(right / left / 1j))).max())


def envelope(what: Sound, above: float = 4000, smooth: float = 0.0006) -> numpy.ndarray:
    """The level of what lies above a frequency, smoothed a little."""
    filter_ = signal.butter(8, above, "high", fs=what.rate, output="sos")
    high = signal.sosfiltfilt(filter_, numpy.pad(what.mono, 2048))[2048:-2048]
    window = signal.windows.hann(max(3, round(2 * smooth * what.rate)))
    return numpy.sqrt(numpy.maximum(signal.fftconvolve(high**2, window / window.sum(), "same"), 0))


def attacks(level: numpy.ndarray, rate: int, least: float, apart: float = 0.012, jump: float = 2.5) -> numpy.ndarray:
    """Seconds at which a level rises, to `least` or more, to `jump` times the most of 4 to 8 ms before."""
    gap, width = round(0.004 * rate), round(0.004 * rate)
    before = numpy.concatenate([numpy.zeros(gap + width), level])[:len(level) + width]
    kernel = numpy.lib.stride_tricks.sliding_window_view(before, width + 1).max(axis=1)[:len(level)]
    rising = (level >= least) & (level > jump * kernel)
    starts, last = [], -numpy.inf
    for at in numpy.flatnonzero(rising):
        if at - last > apart * rate:
            starts.append(at)
        last = at
    return numpy.array(starts) / rate


def attack_shape(what: Sound, times, window: float = 0.06) -> dict:
    """Of hits that should begin at these times: rise from 10 to 90 %, pre-echo, and how many more than one each is."""
    high, rate = envelope(what), what.rate
    rises, echoes, errors, extra = [], [], [], 0
    usual = numpy.median([_most(high, time - window, time + window, rate) for time in times])
    found = attacks(high, rate, 0.35 * usual)
    for time in times:
        first = max(0, round((time - window) * rate))
        part = high[first:round((time + window) * rate)]
        if len(part) == 0:
            continue
        near = found[(found > time - window) & (found < time + window)]
        extra += max(0, len(near) - 1)
        middle = first + int(numpy.argmax(part >= 0.5 * part.max()))
        top = high[middle:middle + round(0.006 * rate)].max()
        start = middle - int(numpy.argmax(high[middle::-1] < 0.1 * top))
        end = middle + int(numpy.argmax(high[middle:] >= 0.9 * top))
        rises.append((end - start) / rate * 1000)
        errors.append((middle / rate - time) * 1000)
        before = high[max(0, middle - round(0.04 * rate)):max(0, middle - round(0.0025 * rate))]
        after = high[middle:middle + round(0.04 * rate)]
        echoes.append(decibels((before**2).sum() / max((after**2).sum(), SILENCE)))
    return {
        "rise": float(numpy.median(rises)), "pre-echo": float(numpy.median(echoes)), "double": extra / len(times),
        "jitter": float(numpy.std(errors)),
    }


def _most(level: numpy.ndarray, start: float, end: float, rate: int) -> float:
    part = level[max(0, round(start * rate)):max(0, round(end * rate))]
    return float(part.max()) if len(part) else 0.0


def click_train(what: Sound, times, source_level: float) -> dict:
    """Of clicks that should be at these times: how many are lost (12 dB down or more), doubled, and where they are."""
    return clicks_at(what, times, source_level)[0]


def clicks_at(what: Sound, times, source_level: float, window: float = 0.045) -> tuple:
    """The same, and where each of them is, or None."""
    filter_ = signal.butter(2, 200, "high", fs=what.rate, output="sos")
    high = numpy.abs(signal.sosfiltfilt(filter_, numpy.pad(what.mono, 2048))[2048:-2048])
    peaks, _ = signal.find_peaks(high, height=source_level / 4, distance=round(0.002 * what.rate))
    found = peaks / what.rate
    double, places = 0, []
    for time in times:
        near = found[numpy.abs(found - time) < window]
        places.append(float(near[numpy.argmin(numpy.abs(near - time))]) if len(near) else None)
        double += max(0, len(near) - 1)
    errors = [(place - time) * 1000 for place, time in zip(places, times) if place is not None]
    return {
        "lost": places.count(None), "double": double,
        "worst": float(numpy.abs(errors).max()) if errors else numpy.nan,
        "median": float(numpy.median(errors)) if errors else numpy.nan,
    }, places


def residue(what: Sound, above: float, reference: Sound, edge: float = 0.3) -> float:
    """The peak of what lies above a frequency, to that of a reference."""
    filter_ = signal.butter(8, above, "high", fs=what.rate, output="sos")
    high = signal.sosfiltfilt(filter_, what.mono)
    first = round(edge * what.rate)
    return float(2 * decibels(numpy.abs(high[first:-first]).max() / numpy.abs(reference.mono).max()))


def mel_distance(ideal: Sound, heard: Sound, from_second: float, tolerance: float = 0.012) -> float:
    """Mean difference in dB of mel spectra, where each moment is compared with the best one within a tolerance."""
    first, second = (_mel(each.between(from_second)) for each in (ideal, heard))
    reach, least = round(tolerance / 0.004), []
    for at in range(reach, min(len(first), len(second)) - reach):
        least.append(numpy.abs(second[at - reach:at + reach + 1] - first[at]).mean(axis=1).min())
    return float(numpy.mean(least))


def _mel(what: Sound) -> numpy.ndarray:
    hop, size = round(0.004 * what.rate), 1024
    _, _, spectra = signal.stft(what.mono, what.rate, nperseg=size, noverlap=size - hop, boundary=None, padded=False)
    bands = numpy.linspace(_to_mel(50), _to_mel(min(16000, what.rate / 2)), 42)
    edges = 700 * (10 ** (bands / 2595) - 1) / what.rate * size
    bins = numpy.arange(size // 2 + 1)
    filters = numpy.stack([
        numpy.maximum(0, numpy.minimum((bins - low) / (mid - low), (high - bins) / (high - mid)))
        for low, mid, high in zip(edges, edges[1:], edges[2:])])
    power = filters @ numpy.abs(spectra) ** 2
    return decibels(numpy.maximum(power.T, 1e-9 * power.max()))


def _to_mel(hertz: float) -> float:
    return 2595 * numpy.log10(1 + hertz / 700)
