"""The engines that are compared, each a program that reads a file and writes another."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field, replace

from . import sound
from .sound import Sound


class Failure(Exception):
    """An engine ended with an error, or wrote nothing that can be read."""


@dataclass(frozen=True)
class Setting:
    """What an engine is asked for: a rate and a pitch, or a script of lines "outputSecond rate cents"."""

    mode: str
    rate: float = 1
    cents: float = 0
    script: str | None = None  # the text, not a path

    @property
    def words(self) -> tuple:
        """Rate and cents as they are written, so that every program reads the same numbers."""
        return f"{self.rate:.12g}", f"{self.cents:.12g}"


@dataclass
class Engine:
    """One that is not ours: it has no modes, or none that we would choose for it."""

    name: str
    program: str
    ours = False
    modal = False  # whether its modes differ
    pitches = True  # whether it shifts the pitch
    scripts = False  # whether it changes rate and pitch on the way
    lowest, highest = 1 / 32, 32
    missing: str = field(default="", init=False)  # why it can't be used

    def prepare(self, folder: str):
        """Builds what has to be built; says in `missing` what keeps it from being used."""
        if shutil.which(self.program) is None:
            self.missing = f"{self.program} is not installed"

    def able(self, setting: Setting) -> bool:
        if setting.script is not None:
            return self.scripts
        return self.lowest <= setting.rate <= self.highest and (self.pitches or setting.cents == 0)

    def command(self, setting: Setting, source: str, target: str, script: str | None) -> list:
        raise NotImplementedError


class Driver(Engine):
    """A program called as `PROGRAM MODE RATE CENTS IN OUT`, with `@SCRIPT -` for rate and pitch where they change."""

    scripts = True

    def command(self, setting, source, target, script):
        rate, cents = setting.words
        if script is not None:
            rate, cents = "@" + script, "-"
        return [self.program, setting.mode, rate, cents, source, target]


class OwnDriver(Driver):
    """Ours, without the player around it."""

    ours = modal = True


class Peer(Driver):
    """A driver of ours for a library of others, built when it is needed."""

    def __init__(self, name: str, source: str, compiler: str, library: str, modal: bool = False):
        super().__init__(name, "")
        self.modal = modal
        self.source = os.path.join(os.path.dirname(__file__), "peers", source)
        self.compiler, self.library = compiler, library

    def prepare(self, folder):
        self.program = os.path.join(folder, self.name)
        newest = max(map(os.path.getmtime, (self.source, os.path.join(os.path.dirname(self.source), "wave.h"))))
        if os.path.exists(self.program) and os.path.getmtime(self.program) >= newest:
            return
        command = [self.compiler, "-O2", "-o", self.program + ".new", self.source, "-l" + self.library, "-lm"]
        try:
            built = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            self.missing = str(error)
            return
        if built.returncode == 0:
            os.replace(self.program + ".new", self.program)
        else:
            self.missing = f"its driver can't be built: {built.stderr.strip().splitlines()[:1]}"


class Martlet(Engine):
    """The player; what changes on the way, it hears from a benchmark that is called as a driver is."""

    ours = modal = True

    def __init__(self, program: str, bench: str):
        super().__init__("martlet", program)
        self.bench = bench

    def prepare(self, folder):
        super().prepare(folder)
        if self.missing:
            return
        known = subprocess.run(
            [self.program, "help", "render"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if "--stretch" not in known.stdout + known.stderr:
            self.missing = f"{self.program} render knows no --stretch"
        with tempfile.TemporaryDirectory(prefix="martlet-quality-") as place:
            try:
                Bench(place).render(self, Setting("speech", script="0 1.5 0\n"), sound.sound([0.0] * 4410, 44100))
                self.scripts = True
            except Failure:
                self.scripts = False  # the benchmark is not there, or knows nothing of it

    def command(self, setting, source, target, script):
        if script is not None:
            return [self.bench, "stretch", setting.mode, "@" + script, "-", source, target]
        rate, cents = setting.words
        return [self.program, "render", source, "-o", target, "--sample", "f32", "--rate", rate, "--pitch", cents,
                "--stretch", setting.mode]


class Atempo(Engine):
    """FFmpeg's filter. Below half speed there have to be several in a row."""

    pitches = False

    def command(self, setting, source, target, script):
        rate, filters = setting.rate, []
        while rate < 0.5:
            filters.append("atempo=0.5")
            rate *= 2
        filters.append(f"atempo={rate:.12g}")
        return [self.program, "-v", "error", "-nostdin", "-y", "-threads", "1", "-i", source, "-filter_threads", "1",
                "-af", ",".join(filters), "-c:a", "pcm_f32le", target]


class RubberBand(Engine):
    """Its finer engine, R3."""

    def command(self, setting, source, target, script):
        rate, _ = setting.words
        return [self.program, "-3", "-q", "--tempo", rate, "--pitch", f"{setting.cents / 100:.12g}", source, target]


def known(martlet: str, bench: str, drivers: list) -> list:
    """All, ours first."""
    return [
        Martlet(martlet, bench),
        *(OwnDriver(f"our {os.path.basename(path)}", os.path.abspath(path)) for path in drivers),
        Peer("sonic", "sonic.c", "cc", "sonic"),
        Peer("soundtouch", "soundtouch.cpp", "c++", "SoundTouch", modal=True),
        Atempo("atempo", "ffmpeg"),
        RubberBand("rubberband", "rubberband"),
    ]


class Bench:
    """Runs engines on sounds. Within a figure, an engine whose modes do not differ answers the same question once."""

    def __init__(self, folder: str):
        self.folder = folder
        self._answers = {}
        self._count = 0  # of runs: several go on at a time
        self._lock = threading.Lock()

    def forget(self):
        """Drops the answers that were kept."""
        self._answers.clear()

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def render(self, engine: Engine, setting: Setting, what: Sound, key=None) -> Sound:
        """What an engine makes of a sound. With a key that names the sound, the answer may be kept."""
        return self.ask(engine, setting, what, key)[0]

    def ask(self, engine: Engine, setting: Setting, what: Sound, key=None) -> tuple:
        """The same, and what the engine printed."""
        if engine.modal:
            key = None
        remembered = (engine.name, replace(setting, mode=""), key)
        if key is not None and remembered in self._answers:
            return self._answers[remembered]
        with self._lock:
            self._count += 1
            source, target, script = (self.path(f"{self._count}.{kind}") for kind in ("in.wav", "out.wav", "script"))
        try:
            answer = self._run(engine, setting, what, source, target, script)
        finally:
            for path in (source, target, script):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
        if key is not None:
            self._answers[remembered] = answer
        return answer

    def _run(self, engine: Engine, setting: Setting, what: Sound, source: str, target: str, script: str) -> tuple:
        sound.write(source, what)
        if setting.script is not None:
            with open(script, "w") as file:
                file.write(setting.script)
        command = engine.command(setting, source, target, None if setting.script is None else script)
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True,
                encoding="utf-8", errors="replace", timeout=600)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{engine.name}: {error}") from None
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
            telling = [line for line in said if "rror" in line or "crashed" in line] + said[-1:]
            raise Failure(f"{engine.name}: {telling[0]}")
        try:
            return sound.read(target), done.stdout
        except (OSError, ValueError) as error:
            raise Failure(f"{engine.name}: {error}") from None
