"""Speech of our own text by the voices of flite and espeak-ng, and the scores that it is given."""

import functools
import os
import subprocess
import tempfile

import numpy
import pesq
import pystoi
from scipy import signal

from . import sound
from .sound import Sound

ENGLISH = (
    "She had put the kettle on before the others came down, and nobody said a word. "
    "Outside, six thin boats were moving slowly past the harbour wall. "
    "Why should we wait for better weather, he asked, when the road is dry?")
GERMAN = (
    "Am frühen Morgen lag Nebel über dem Fluss, und niemand sprach ein Wort. "
    "Draußen zogen sechs schmale Boote an der Mauer vorbei. Warum sollten wir auf besseres Wetter warten?")
FRENCH = (
    "Ce matin, le brouillard couvrait la rivière, et personne ne disait un mot. "
    "Dehors, six bateaux passaient devant le mur du port. Pourquoi attendre un temps meilleur?")
CLOCK = "The time is now, exactly five past three, in the morning."  # all that this voice can say

# Name: program, voice, text.
VOICES = {
    "kal": ("flite", "kal", ENGLISH), "kal16": ("flite", "kal16", ENGLISH), "awb": ("flite", "awb", ENGLISH),
    "rms": ("flite", "rms", ENGLISH), "slt": ("flite", "slt", ENGLISH), "awb_time": ("flite", "awb_time", CLOCK),
    "en-us": ("espeak-ng", "en-us", ENGLISH), "en-gb": ("espeak-ng", "en-gb", ENGLISH),
    "scotland": ("espeak-ng", "en-gb-scotland", ENGLISH), "female2": ("espeak-ng", "en-us+f2", ENGLISH),
    "female4": ("espeak-ng", "en-us+f4", ENGLISH), "male3": ("espeak-ng", "en-us+m3", ENGLISH),
    "male7": ("espeak-ng", "en-us+m7", ENGLISH), "whisper": ("espeak-ng", "en-us+whisper", ENGLISH),
    "german": ("espeak-ng", "de", GERMAN), "french": ("espeak-ng", "fr+f3", FRENCH),
}
SOME = ("rms", "slt", "en-us", "female2")
LONG = ("kal16", "awb", "en-gb", "male7", "whisper")  # with which the automatic choice is tried besides


def available() -> list:
    """The voices that are installed."""
    return [name for name in VOICES if _speak(name) is not None]


def missing() -> list:
    return [name for name in VOICES if _speak(name) is None]


@functools.cache
def _speak(name: str) -> Sound | None:
    program, voice, text = VOICES[name]
    with tempfile.TemporaryDirectory(prefix="martlet-voice-") as folder:
        path = os.path.join(folder, "voice.wav")
        words = {"flite": ["flite", "-voice", voice, "-t", text, "-o", path],
                 "espeak-ng": ["espeak-ng", "-v", voice, "-s", "160", "-w", path, text]}[program]
        try:
            subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True)
            spoken = sound.read(path)
        except (OSError, ValueError, subprocess.CalledProcessError):
            return None
    loudest = numpy.abs(spoken.samples).max()
    return None if loudest == 0 else Sound(spoken.samples * (0.5 / loudest), spoken.rate)


def speech(name: str) -> Sound:
    """What a voice says, at the sample rate that it says it at, with a little silence around."""
    spoken = _speak(name)
    pause = numpy.zeros((round(0.25 * spoken.rate), 1))
    return Sound(numpy.concatenate([pause, spoken.samples, pause]), spoken.rate)


def resampled(what: Sound, rate: int) -> numpy.ndarray:
    """One channel at another sample rate."""
    divisor = numpy.gcd(rate, what.rate)
    return what.mono if rate == what.rate else signal.resample_poly(what.mono, rate // divisor, what.rate // divisor)


def scores(original: Sound, heard: Sound) -> dict:
    """Wide-band PESQ and STOI, after moving one of the two to where they match best within 150 ms.

    PESQ looks at steps of 16 ms; where they fall changes a score by 0.1 and more. So it is the mean of five places.
    """
    first, second = resampled(original, 16000), resampled(heard, 16000)
    shift = offset(first, second)
    qualities = []
    for place in (-96, -48, 0, 48, 96):
        try:
            qualities.append(pesq.pesq(16000, *_moved(first, second, shift + place), "wb"))
        except pesq.PesqError:
            qualities.append(numpy.nan)
    return {
        "pesq": float(numpy.mean(qualities)), "stoi": float(pystoi.stoi(*_moved(first, second, shift), 16000))}


def _moved(first: numpy.ndarray, second: numpy.ndarray, late: int) -> tuple:
    """Both from where they match on, as long as both last."""
    first, second = first[max(0, -late):], second[max(0, late):]
    common = min(len(first), len(second))
    return first[:common], second[:common]


def offset(first: numpy.ndarray, second: numpy.ndarray, hop: int = 32, reach: int = 75) -> int:
    """How many samples of 16 kHz the second is late, to 2 ms.

    By the levels of bands, as STOI looks at them: waveforms drift from each other by parts of a pitch period, and the
    best match of those is that of one moment.
    """
    levels = [_band_levels(each, hop) for each in (first, second)]
    length = 2 * max(map(len, levels))
    spectra = [numpy.fft.rfft(each, length, axis=0) for each in levels]
    match = numpy.fft.irfft(spectra[1] * numpy.conj(spectra[0]), length, axis=0).sum(axis=1)
    shifts = numpy.arange(-reach, reach + 1)
    return int(shifts[numpy.argmax(match[shifts])]) * hop


def _band_levels(samples: numpy.ndarray, hop: int, size: int = 400) -> numpy.ndarray:
    _, _, spectra = signal.stft(samples, 16000, nperseg=size, noverlap=size - hop, boundary=None, padded=False)
    edges = numpy.geomspace(150, 5000, 16) * size / 16000
    power = numpy.abs(spectra) ** 2
    bands = [power[int(low):max(int(low) + 1, int(high))].sum(axis=0) for low, high in zip(edges, edges[1:])]
    levels = numpy.sqrt(numpy.array(bands).T)
    return levels - levels.mean(axis=0)
