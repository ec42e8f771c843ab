"""Sounds in memory and in files: a sound is an array of frames by channels, of doubles, and its sample rate."""

import warnings
from typing import NamedTuple

import numpy
from scipy.io import wavfile


class Sound(NamedTuple):
    samples: numpy.ndarray  # frames × channels
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    @property
    def mono(self) -> numpy.ndarray:
        """The first channel."""
        return self.samples[:, 0]

    def between(self, start: float, end: float | None = None) -> "Sound":
        """What lies between two times in seconds."""
        last = None if end is None else round(end * self.rate)
        return Sound(self.samples[round(start * self.rate):last], self.rate)


def sound(samples, rate: int, channels: int = 1) -> Sound:
    """One channel's samples, or many's, as a sound; one channel can be repeated."""
    samples = numpy.asarray(samples, dtype=float)
    if samples.ndim == 1:
        samples = numpy.repeat(samples[:, None], channels, axis=1)
    return Sound(samples, rate)


def write(path: str, what: Sound):
    """As 32-bit floats, which all engines read."""
    wavfile.write(path, what.rate, what.samples.astype(numpy.float32))


def read(path: str) -> Sound:
    """Floats as they are, integers as fractions of full scale."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks it does not know
        rate, samples = wavfile.read(path)
    if samples.dtype.kind == "i":
        samples = samples / -float(numpy.iinfo(samples.dtype).min)
    return sound(samples, rate)


def as_heard(what: Sound) -> Sound:
    """The same, rounded to the floats that a file holds."""
    return Sound(what.samples.astype(numpy.float32).astype(float), what.rate)
