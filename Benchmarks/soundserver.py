"""A PulseAudio daemon of our own, whose only sink goes nowhere, and an ear at its monitor."""

import array
import os
import subprocess
import threading
import time

RATE = 48000
CHANNELS = 2
AUDIBLE = 0.01


class SoundServer:
    def __init__(self, folder: str):
        home = os.path.join(folder, "home")
        runtime = os.path.join(folder, "runtime")
        os.makedirs(home)
        os.makedirs(runtime, mode=0o700)
        address = os.path.join(folder, "pulse")
        self.environment = {
            **os.environ, "HOME": home, "XDG_RUNTIME_DIR": runtime, "PULSE_SERVER": f"unix:{address}",
            "SDL_AUDIODRIVER": "pulseaudio", "TERM": "dumb",
        }
        self.daemon = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
             f"--load=module-native-protocol-unix auth-anonymous=1 socket={address}",
             # Without norewinds an idle sink renders two seconds ahead, and every start would seem late.
             f"--load=module-null-sink sink_name=nowhere norewinds=1 format=float32le rate={RATE} channels={CHANNELS}"],
            env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait_for(address)
        self.recorder = subprocess.Popen(
            ["parec", "-d", "nowhere.monitor", "--format=float32le", f"--rate={RATE}", f"--channels={CHANNELS}",
             "--latency-msec=5"],
            env=self.environment, stdout=subprocess.PIPE, bufsize=0)
        self._condition = threading.Condition()
        self._heard = False  # whether the last piece had sound in it
        self._first = None  # when the first sound since `listen` came
        threading.Thread(target=self._record, daemon=True).start()

    def _wait_for(self, address: str):
        deadline = time.monotonic() + 10
        while not os.path.exists(address):
            if time.monotonic() > deadline or self.daemon.poll() is not None:
                raise RuntimeError("pulseaudio does not start")
            time.sleep(0.02)

    def _record(self):
        size = 4 * CHANNELS
        rest = b""
        while piece := os.read(self.recorder.stdout.fileno(), 65536):
            now = time.monotonic()
            piece = rest + piece
            whole = len(piece) // size * size
            rest = piece[whole:]
            samples = array.array("f", piece[:whole])
            with self._condition:
                self._heard = max(max(samples, default=0), -min(samples, default=0)) > AUDIBLE
                if self._heard and self._first is None:
                    index = next(i for i, sample in enumerate(samples) if abs(sample) > AUDIBLE)
                    self._first = now - (len(samples) - index) / CHANNELS / RATE
                self._condition.notify_all()

    def listen(self):
        """Waits for silence, then begins to watch for sound."""
        with self._condition:
            self._condition.wait_for(lambda: not self._heard, timeout=5)
            self._first = None

    def first_sound(self, seconds: float):
        """When sound came first since `listen`, on the monotonic clock; None if it does not come in time."""
        with self._condition:
            self._condition.wait_for(lambda: self._first is not None, timeout=seconds)
            return self._first

    def close(self):
        for process in (self.recorder, self.daemon):
            process.terminate()
            process.wait()
