"""How each program is told to decode, to parse, to tell what a file is, and to play to PulseAudio."""

import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Player:
    """Commands are the words behind the program, `IN` stands for the file or URL. None: it can't, or was not asked."""

    name: str
    program: str
    decode: tuple | None = None  # decodes everything and keeps nothing
    play: tuple | None = None  # plays to the default sink; `START` stands where options go
    start: str | None = None  # the option that makes it start elsewhere
    parse: tuple | None = None  # reads all packets and decodes none
    parser: str | None = None  # the program that parses, where it is another
    tell: tuple | None = None  # opens, and tells what it is
    formats: frozenset | None = None  # None: all
    web: bool = True

    def found(self) -> bool:
        return shutil.which(self.program) is not None

    def knows(self, form: str) -> bool:
        return self.formats is None or form in self.formats

    def decoding(self, path: str) -> list:
        return [self.program, *_filled(self.decode, path)]

    def parsing(self, path: str) -> list:
        return [self.parser or self.program, *_filled(self.parse, path)]

    def telling(self, item: str) -> list:
        return [self.program, *_filled(self.tell, item)]

    def playing(self, item: str, second: int | None = None) -> list:
        start = [] if second is None else self.start.format(second).split()
        words = [word for word in self.play for word in (start if word == "START" else [word])]
        return [self.program, *_filled(words, item)]


def _filled(words, item: str) -> list:
    return [item if word == "IN" else word for word in words]


def players(martlet: str, parser: str) -> list:
    """All, Martlet first. Each gets the options that make it fastest without making it worse."""
    return [
        Player(
            "martlet", martlet,
            decode=("render", "IN", "-o", "/dev/null"),
            play=("play", "--quiet", "--no-control", "--output", "pulse", "START", "IN"),
            start="--start {}",
            parse=("IN",), parser=parser,
            tell=("info", "--json", "IN"),
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
            parse=(
                "-v", "error", "-nostdin", "-err_detect", "crccheck", "-i", "IN", "-map", "0:a:0", "-c", "copy",
                "-f", "null", "-"),
        ),
        Player(
            "ffprobe", "ffprobe",
            tell=("-v", "error", "-show_format", "-show_streams", "-of", "json", "IN"),
        ),
        Player(
            "ffplay", "ffplay",
            play=("-v", "error", "-nodisp", "-autoexit", "-vn", "START", "IN"),
            start="-ss {}",
        ),
        Player(
            "mpv", "mpv",
            decode=("--no-config", "--really-quiet", "--vid=no", "--ao=null", "--ao-null-untimed", "IN"),
            play=("--no-config", "--really-quiet", "--vid=no", "--ao=pulse", "START", "IN"),
            start="--start={}",
        ),
        Player(
            "sox", "sox",
            decode=("-q", "IN", "-t", "raw", "-e", "floating-point", "-b", "32", "/dev/null"),
            play=("-q", "IN", "-t", "pulseaudio", "default"),
            formats=frozenset({"mp3", "flac", "wav", "aiff", "caf", "ogg", "opus"}),
            web=False,
        ),
    ]
