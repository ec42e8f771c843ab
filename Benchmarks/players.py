"""How each program is told to decode, and to play to PulseAudio."""

import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Player:
    name: str
    program: str
    decode: tuple | None  # a command that decodes everything and keeps nothing
    play: tuple | None  # a command that plays to the default sink
    formats: frozenset | None = None  # None: all
    web: bool = True

    def found(self) -> bool:
        return shutil.which(self.program) is not None

    def knows(self, form: str) -> bool:
        return self.formats is None or form in self.formats

    def decoding(self, path: str) -> list:
        return [self.program, *(path if word == "IN" else word for word in self.decode)]

    def playing(self, item: str) -> list:
        return [self.program, *(item if word == "IN" else word for word in self.play)]


def players(martlet: str) -> list:
    """All, Martlet first. Each gets the options that make it fastest without making it worse."""
    return [
        Player(
            "martlet", martlet,
            decode=("render", "IN", "-o", "/dev/null"),
            play=("play", "--quiet", "--no-control", "--output", "pulse", "IN"),
        ),
        Player(
            "mpg123", "mpg123",
            decode=("-q", "-e", "f32", "-w", "/dev/null", "IN"),
            play=("-q", "-o", "pulse", "IN"),
            formats=frozenset({"mp3"}),
        ),
        Player(
            "ffmpeg", "ffmpeg",
            decode=("-v", "error", "-nostdin", "-threads", "1", "-i", "IN", "-c:a", "pcm_f32le", "-f", "null", "-"),
            play=None,
        ),
        Player(
            "ffplay", "ffplay",
            decode=None,
            play=("-v", "error", "-nodisp", "-autoexit", "-vn", "IN"),
        ),
        Player(
            "mpv", "mpv",
            decode=("--no-config", "--really-quiet", "--vid=no", "--ao=null", "--ao-null-untimed", "IN"),
            play=("--no-config", "--really-quiet", "--vid=no", "--ao=pulse", "IN"),
        ),
        Player(
            "sox", "sox",
            decode=("-q", "IN", "-t", "raw", "-e", "floating-point", "-b", "32", "/dev/null"),
            play=("-q", "IN", "-t", "pulseaudio", "default"),
            formats=frozenset({"mp3", "flac", "wav", "aiff", "ogg", "opus"}),
            web=False,
        ),
    ]
