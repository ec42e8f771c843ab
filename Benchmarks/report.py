"""Tables of the results, and the goals."""

import math


def _speed(value: float) -> str:
    return f"{value:.0f}"


def _milliseconds(value: float) -> str:
    return f"{value * 1000:.0f}"


def _kilobytes(value: float) -> str:
    return f"{value / 1000:.0f}"


def _count(value: float) -> str:
    return f"{value:g}"


_NETWORK = "50 ms latency, 256 kB/s"
# Measure: heading, how a value is written, whether more is better.
MEASURES = {
    "decode": ("Decoding, seconds of sound per second", _speed, True),
    "parse": ("Reading packets, decoding none, seconds of sound per second, programs' start left out", _speed, True),
    "cpu": ("CPU seconds per played minute", lambda v: f"{v:.2f}", False),
    "memory": ("Peak memory while playing, MB", lambda v: f"{v / 1e6:.1f}", False),
    "first": ("First sound of a file, ms after the start of the program", _milliseconds, False),
    "first-http": (f"First sound over HTTP ({_NETWORK}), ms", _milliseconds, False),
    "first-http-requests": ("  … requests until then", _count, False),
    "first-http-bytes": ("  … kB until then", _kilobytes, False),
    "open-http": (f"Telling what a URL is ({_NETWORK}), ms", _milliseconds, False),
    "open-http-requests": ("  … requests", _count, False),
    "open-http-bytes": ("  … kB", _kilobytes, False),
    "seek-http": (f"First sound from minute 40 of an hour over HTTP ({_NETWORK}), ms", _milliseconds, False),
    "seek-http-requests": ("  … requests, beyond those of a start at 0", _count, False),
    "seek-http-bytes": ("  … kB, beyond those of a start at 0", _kilobytes, False),
    "engine": ("Engine: mixing 8 to 1 and changing the rate in kHz, seconds of stereo per CPU second", _speed, True),
    "resampling": ("  … what is left beside a tone, and of a tone above the band, dB below it", _speed, True),
}


def advantage(measure: str, ours: float, theirs: float) -> float:
    """How many times better Martlet is; above 1 is better, whatever is measured."""
    better, worse = (ours, theirs) if MEASURES[measure][2] else (theirs, ours)
    return 1 if better == worse else better / worse if worse else math.inf


def show(results: dict, names: list):
    machine = results["machine"]
    print(f"\n{machine['cpu']}, {machine['cores']} cores, {machine['system']}")
    print("In brackets: how many times better Martlet is. Above 1 it is better, below 1 the other is.")
    for measure, (heading, text, _) in MEASURES.items():
        table = results[measure]
        columns = [name for name in dict.fromkeys(names) if any(name in row for row in table.values())]
        if not columns:
            continue
        print(("" if heading.startswith(" ") else "\n") + heading)
        width = max(8, *(len(form) + 2 for form in table))
        print("  " + "".ljust(width) + "".join(name.rjust(16) for name in columns))
        for form, row in table.items():
            cells = []
            for name in columns:
                cell = text(row[name]) if name in row else "-"
                if name != "martlet" and name in row and "martlet" in row:
                    cell += f" ({advantage(measure, row['martlet'], row[name]):.2f})"
                cells.append(cell.rjust(16))
            print("  " + form.ljust(width) + "".join(cells))
    print("\nGoals")
    for goal, state in goals(results):
        verdict, _, reason = state.partition(": ")
        print(f"  {verdict:8} {goal}" + (f" ({reason})" if reason else ""))


def goals(results: dict):
    """Goal and state: met, missed with the formats that miss it, or unknown."""
    def compared(measure, rival, forms, least):
        rows = {form: results[measure].get(form, {}) for form in forms}
        known = {form: row for form, row in rows.items() if "martlet" in row and rival in row}
        if not known:
            return "unknown"
        bad = [form for form, row in known.items() if advantage(measure, row["martlet"], row[rival]) < least]
        return "missed: " + ", ".join(bad) if bad else "met"

    def within(measure, forms, most):
        known = {form: row["martlet"] for form, row in results[measure].items() if form in forms and "martlet" in row}
        if not known:
            return "unknown"
        write = MEASURES[measure][1]
        bad = [f"{form} {write(value)}" for form, value in known.items() if value > most]
        return "missed: " + ", ".join(bad) if bad else "met"

    forms = list(results["decode"])
    every = list(results["parse"])
    others = [form for form in forms if form != "mp3"]
    yield "decoding MP3 at least 0.9 times as fast as mpg123", compared("decode", "mpg123", ["mp3"], 0.9)
    yield "decoding the rest as fast as ffmpeg with one thread", compared("decode", "ffmpeg", others, 1)
    yield "reading packets as fast as ffmpeg copies them", compared("parse", "ffmpeg", every, 1)
    for measure, what in (
        ("cpu", "CPU time of playing"), ("memory", "peak memory"), ("first", "first sound of a file"),
        ("first-http", "first sound over HTTP"),
    ):
        yield f"{what} better than ffplay's", compared(measure, "ffplay", forms, 1)
    for suffix, what in (("", "time"), ("-requests", "requests"), ("-bytes", "bytes")):
        opening, sounding = "open-http" + suffix, "first-http" + suffix
        yield f"{what} to tell what a URL is no more than ffprobe's", compared(opening, "ffprobe", every, 1)
        yield f"{what} to the first sound over HTTP no more than mpv's", compared(sounding, "mpv", every, 1)
    yield "first sound of an MP3 under 3 times mpg123's", compared("first", "mpg123", ["mp3"], 1 / 3)
    yield "first sound of an MP3 over HTTP under 120 ms", within("first-http", ["mp3"], 0.12)
    for measure, what in (("open-http", "telling what it is"), ("first-http", "first sound")):
        yield f"M4A with its index at the end: {what} by 3 requests", within(measure + "-requests", ["m4a-end"], 3)
    # Ogg has no index and does not say how long it is; Matroska's index stands at the end.
    twice = [form for form in every if form in ("ogg", "opus", "webm")]
    once = [form for form in every if form not in twice]
    yield "a jump over HTTP by one request more", within("seek-http-requests", once, 1)
    yield "a jump over HTTP without an index in front by two requests more", within("seek-http-requests", twice, 2)
    yield "a jump over HTTP by 256 kB more", within("seek-http-bytes", every, 256_000)
    for rival in ("sox", "ffmpeg"):
        yield f"mixing as fast as {rival}", compared("engine", rival, ["mix"], 1)
    yield "changing the rate at least half as fast as soxr", compared("engine", "soxr", ["44-48", "48-44"], 0.5)
    # What soxr's HQ promises.
    poor = [row for row, found in results["resampling"].items() if found["martlet"] < 120]
    quality = "missed: " + ", ".join(poor) if poor else "met" if results["resampling"] else "unknown"
    yield "  … with all that is not the sound 120 dB below it", quality
