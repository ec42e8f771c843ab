"""The engine beside sox, ffmpeg and soxr doing the same work: mixing eight stereo sounds, and changing the rate at the
quality of soxr's HQ, which is measured too. CPU time; what peers take to start and to read the same files is taken off.
"""

import array
import json
import math
import os
import resource
import subprocess

ROWS = ("mix", "44-48", "48-44")
RATES = {"44-48": (44_100, 48_000), "48-44": (48_000, 44_100)}
# 20 bits are soxr's HQ: flat to 0.91 of the band, and the noise floor at 120 dB.
SOXR = "aresample={}:resampler=soxr:precision=20"
FFMPEG = ["ffmpeg", "-v", "error", "-nostdin", "-threads", "1"]


def compare(program: str, seconds: int, repeats: int, folder: str) -> dict:
    """Measure: row: name: value. Speed is in seconds of sound per CPU second, quality in decibels below a tone."""
    return {"engine": speeds(program, seconds, repeats, folder), "resampling": qualities(program)}


def speeds(program: str, seconds: int, repeats: int, folder: str) -> dict:
    files = [os.path.join(folder, f"engine-{number}.wav") for number in range(8)]
    for path in files:
        subprocess.run(
            ["sox", "-V1", "-n", "-r", "48000", "-c", "2", "-e", "floating-point", "-b", "32", path, "synth",
             str(seconds), "whitenoise", "vol", "0.1"], check=True)
    disc = os.path.join(folder, "engine-disc.wav")
    subprocess.run(["sox", "-V1", "-R", files[0], "-r", "44100", disc], check=True)
    inputs = [word for path in files for word in ("-i", path)]
    one = ["-filter_threads", "1", "-filter_complex_threads", "1"]
    nowhere = ["-f", "null", "-"]
    measured = {
        "mix": lambda: ours(program, "mix", seconds),
        "mix sox": lambda: cpu_seconds(["sox", "-V1", "-m", *files, "-n"]),
        "mix sox reads": lambda: cpu_seconds(["sox", "-V1", *files, "-n"]),
        "mix ffmpeg": lambda: cpu_seconds([*FFMPEG, *inputs, *one, "-filter_complex", "amix=inputs=8", *nowhere]),
        "start": lambda: cpu_seconds([*FFMPEG, "-f", "lavfi", "-i", "anullsrc", "-t", "0.01", *nowhere]),
    }
    for row, (before, after) in RATES.items():
        path = disc if before == 44_100 else files[0]
        measured |= {
            row: lambda before=before, after=after: ours(program, "resample", before, after, seconds),
            f"{row} soxr": lambda path=path, after=after: cpu_seconds(
                [*FFMPEG, "-i", path, "-af", SOXR.format(after), *nowhere]),
            f"{row} reads": lambda path=path: cpu_seconds([*FFMPEG, "-i", path, *nowhere]),
        }
    # In turns, so that a busy machine is busy for all.
    taken = {name: [] for name in measured}
    for _ in range(repeats):
        for name, run in measured.items():
            taken[name].append(run())
    least = {name: min(times) for name, times in taken.items()}
    for path in [*files, disc]:
        os.remove(path)
    # Eight files are read with one start.
    reading = 8 * (least["48-44 reads"] - least["start"]) + least["start"]
    costs = {"mix": {"martlet": least["mix"], "sox": least["mix sox"] - least["mix sox reads"],
                     "ffmpeg": least["mix ffmpeg"] - reading}}
    for row in RATES:
        costs[row] = {"martlet": least[row], "soxr": least[f"{row} soxr"] - least[f"{row} reads"]}
    return {row: {name: seconds / max(cost, 1e-3) for name, cost in of.items()} for row, of in costs.items()}


def cpu_seconds(command: list) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(program: str, *words) -> float:
    answer = subprocess.run([program, *map(str, words)], check=True, capture_output=True).stdout
    return json.loads(answer)["cpuSeconds"]


def qualities(program: str) -> dict:
    """How far below a tone at 0.9 of the narrower band everything else lies (`tone`), and how far below a tone just above
    the band what becomes of it lies (`alias`)."""
    rows = {}
    for row, (before, after) in RATES.items():
        converters = {
            "martlet": [program, "convert", str(before), str(after)],
            "soxr": ["ffmpeg", "-v", "error", "-f", "f32le", "-ar", str(before), "-ac", "1", "-i", "pipe:", "-af",
                     SOXR.format(after), "-f", "f32le", "pipe:"],
        }
        edge = min(before, after) / 2
        for name, command in converters.items():
            rows.setdefault(f"{row} tone", {})[name] = below(command, before, after, 0.9 * edge)
            if after < before:
                rows.setdefault(f"{row} alias", {})[name] = below(command, before, after, 1.02 * edge)
    return rows


def below(command: list, before: int, after: int, hertz: float) -> float:
    """Decibels from a tone of full scale's half to what is left of the converted one when the tone is taken away."""
    tone = array.array("f", (0.5 * math.sin(2 * math.pi * hertz * frame / before) for frame in range(before)))
    answer = subprocess.run(command, input=tone.tobytes(), check=True, capture_output=True).stdout
    heard = array.array("f", answer)
    middle = heard[after // 4:after * 3 // 4]
    # By least squares, a sine and a cosine of the tone; above the band there is no such tone.
    ss = sc = cc = xs = xc = xx = 0.0
    step = 2 * math.pi * hertz / after
    for frame, sample in enumerate(middle):
        sine, cosine = math.sin(step * frame), math.cos(step * frame)
        ss, sc, cc = ss + sine * sine, sc + sine * cosine, cc + cosine * cosine
        xs, xc, xx = xs + sample * sine, xc + sample * cosine, xx + sample * sample
    rest = xx
    if hertz < after / 2:
        determinant = ss * cc - sc * sc
        a, b = (xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant
        rest = sum(
            (sample - a * math.sin(step * frame) - b * math.cos(step * frame)) ** 2
            for frame, sample in enumerate(middle))
    return -10 * math.log10(max(rest / len(middle), 1e-30) / 0.125)
