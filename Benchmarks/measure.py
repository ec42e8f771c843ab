"""The measurements. Programs to be compared take turns, so that a busy machine is busy for all."""

import os
import signal
import statistics
import subprocess
import time
from typing import NamedTuple

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def cpu_name() -> str:
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")


def decode_seconds(commands: dict, repeats: int, environment: dict) -> dict:
    """The least wall time of each command; a command that fails is left out."""
    times = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            start = time.perf_counter()
            status = subprocess.run(command, env=environment, **QUIET).returncode
            if status == 0:
                times[name].append(time.perf_counter() - start)
    return {name: min(taken) for name, taken in times.items() if len(taken) == repeats}


class Cost(NamedTuple):
    """What something took; requests and bytes are those of a web server, if one was asked to count."""

    seconds: float
    requests: int = 0
    bytes: int = 0


def parse_rate(short: dict, short_seconds: int, long: dict, long_seconds: int, repeats: int, environment: dict) -> dict:
    """Seconds of sound a second, by commands for a short file and a long one: what starting takes is taken off."""
    least_short = decode_seconds(short, repeats, environment)
    least_long = decode_seconds(long, repeats, environment)
    return {
        name: (long_seconds - short_seconds) / (least_long[name] - least_short[name])
        for name in long if name in least_short and least_long.get(name, 0) > least_short[name]
    }


def opening(commands: dict, repeats: int, environment: dict, web) -> dict:
    """Median cost of each command from its start to its end."""
    def cost(command):
        web.begin()
        start = time.monotonic()
        status = subprocess.run(command, env=environment, **QUIET).returncode
        end = time.monotonic()
        return Cost(end - start, *web.sent(end)) if status == 0 else None

    return _median_costs(commands, repeats, cost)


def first_sound(commands: dict, repeats: int, sound, web=None, patience: float = 5) -> dict:
    """Median cost from starting a command to the first sound at the sink's monitor."""
    def cost(command):
        sound.listen()
        if web:
            web.begin()
        start = time.monotonic()
        process = subprocess.Popen(command, env=sound.environment, **QUIET)
        heard = sound.first_sound(patience)
        _stop(process)
        return None if heard is None else Cost(heard - start, *(web.sent(heard) if web else ()))

    return _median_costs(commands, repeats, cost)


def _median_costs(commands: dict, repeats: int, cost) -> dict:
    """A command that fails once is not tried again, and left out."""
    costs = {name: [] for name in commands}
    for turn in range(repeats):
        for name, command in commands.items():
            if len(costs[name]) == turn and (found := cost(command)) is not None:
                costs[name].append(found)
    return {
        name: Cost(*map(statistics.median, zip(*all_costs)))
        for name, all_costs in costs.items() if len(all_costs) == repeats
    }


def while_playing(commands: dict, sound, early: float = 4, late: float = 19) -> dict:
    """CPU seconds for a played minute, and the most memory held, of commands that play at the same time.

    The CPU time of a minute is that of the start (the first `early` seconds) and the rate seen from there to `late`.
    """
    processes = {}
    for name, command in commands.items():
        processes[name] = (subprocess.Popen(command, env=sound.environment, **QUIET), time.monotonic())
        time.sleep(0.25)
    first = {name: _cpu_at(process, start + early) for name, (process, start) in processes.items()}
    second = {name: _cpu_at(process, start + late) for name, (process, start) in processes.items()}
    results = {}
    for name, (process, _) in processes.items():
        memory = _peak_memory(process.pid)
        ended = process.poll() is not None
        _stop(process)
        if first[name] is None or second[name] is None or memory is None or ended:
            continue
        rate = (second[name] - first[name]) / (late - early)
        results[name] = {"cpu": first[name] + rate * (60 - early), "memory": memory}
    return results


def _cpu_at(process, when: float):
    time.sleep(max(0, when - time.monotonic()))
    if process.poll() is not None:
        return None
    # Linux's clock of another process's CPU time, exact to the nanosecond.
    return time.clock_gettime(~process.pid << 3 | 2)


def _peak_memory(pid: int):
    """Bytes. Not getrusage: that counts what the process was before exec."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return None


def _stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
