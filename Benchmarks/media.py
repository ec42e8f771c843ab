"""Media of all formats, made by FFmpeg: loud from the first sample, with tones and noise as music has them."""

import os
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    file: str
    encoder: tuple
    muxer: tuple = ()
    repeats: bool = True  # whether packets of one file after those of another make a right file
    decodes: bool = True  # False: what another row has already, in an order that matters over a network only


_AAC = ("-c:a", "aac", "-b:a", "160k")
_FRONT = ("-movflags", "+faststart")
FORMATS = {
    "mp3": Format("sound.mp3", ("-c:a", "libmp3lame", "-b:a", "192k")),
    "aac": Format("sound.aac", _AAC),
    "m4a": Format("sound.m4a", _AAC, _FRONT),
    "m4a-end": Format("moov-at-end.m4a", _AAC, decodes=False),
    "alac": Format("lossless.m4a", ("-c:a", "alac"), _FRONT),
    # Frames carry their numbers, and the header their sum.
    "flac": Format("sound.flac", ("-c:a", "flac"), repeats=False),
    "wav": Format("sound.wav", ("-c:a", "pcm_s16le")),
    "aiff": Format("sound.aiff", ("-c:a", "pcm_s16be")),
    "caf": Format("sound.caf", ("-c:a", "pcm_s16le")),
    "ogg": Format("sound.ogg", ("-c:a", "libvorbis", "-q:a", "5")),
    "opus": Format("sound.opus", ("-c:a", "libopus", "-b:a", "128k")),
    "webm": Format("sound.webm", ("-c:a", "libopus", "-b:a", "128k")),
}

_CHANNEL = "0.35*sin(2*PI*{0}*t)+0.15*sin(2*PI*{0}*3.01*t)+0.1*(random({1})-0.5)"


class Media:
    """Files in a folder, by format: of some minutes each, and long ones that are there while they are needed."""

    def __init__(self, folder: str, formats: list, seconds: int):
        self.folder = folder
        self.seconds = seconds
        self.paths = {form: os.path.join(folder, FORMATS[form].file) for form in formats}
        self._master = os.path.join(folder, "master.wav")
        tone = "|".join(_CHANNEL.format(hertz, channel) for channel, hertz in enumerate((440, 554.37)))
        _ffmpeg("-f", "lavfi", "-i", f"aevalsrc={tone}:s=44100:d=10", "-c:a", "pcm_s16le", self._master)
        for form, path in self.paths.items():
            _repeat(self._master, seconds, path, FORMATS[form].encoder + FORMATS[form].muxer)

    def make_long(self, form: str, seconds: int) -> str:
        """Writes a long file; whoever wants it removes it."""
        kind = FORMATS[form]
        path = os.path.join(self.folder, "long-" + kind.file)
        if kind.repeats:
            _repeat(self.paths[form], seconds, path, ("-c", "copy") + kind.muxer)
        else:
            _repeat(self._master, seconds, path, kind.encoder + kind.muxer)
        return path


def _repeat(source: str, seconds: int, path: str, options: tuple):
    _ffmpeg("-stream_loop", "-1", "-i", source, "-t", str(seconds), *options, path)


def _ffmpeg(*options):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *options], check=True)
