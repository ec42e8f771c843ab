"""Tables of the results, and the goals."""

# Measure: heading, how a value is written, whether more is better.
MEASURES = {
    "decode": ("Decoding, seconds of sound per second", lambda v: f"{v:.0f}", True),
    "cpu": ("CPU seconds per played minute", lambda v: f"{v:.2f}", False),
    "memory": ("Peak memory while playing, MB", lambda v: f"{v / 1e6:.1f}", False),
    "first": ("First sound of a file, ms after the start of the program", lambda v: f"{v * 1000:.0f}", False),
    "first-http": ("First sound over HTTP (50 ms latency, 256 kB/s), ms", lambda v: f"{v * 1000:.0f}", False),
}


def advantage(measure: str, ours: float, theirs: float) -> float:
    """How many times better Martlet is; above 1 is better, whatever is measured."""
    return ours / theirs if MEASURES[measure][2] else theirs / ours


def show(results: dict, names: list):
    machine = results["machine"]
    print(f"\n{machine['cpu']}, {machine['cores']} cores, {machine['system']}")
    print("In brackets: how many times better Martlet is. Above 1 it is better, below 1 the other is.")
    for measure, (heading, text, _) in MEASURES.items():
        table = results[measure]
        columns = [name for name in names if any(name in row for row in table.values())]
        if not columns:
            continue
        print(f"\n{heading}")
        print("  " + "format".ljust(8) + "".join(name.rjust(16) for name in columns))
        for form, row in table.items():
            cells = []
            for name in columns:
                cell = text(row[name]) if name in row else "-"
                if name != "martlet" and name in row and "martlet" in row:
                    cell += f" ({advantage(measure, row['martlet'], row[name]):.2f})"
                cells.append(cell.rjust(16))
            print("  " + form.ljust(8) + "".join(cells))
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

    forms = list(results["decode"])
    others = [form for form in forms if form != "mp3"]
    yield "decoding MP3 at least 0.9 times as fast as mpg123", compared("decode", "mpg123", ["mp3"], 0.9)
    yield "decoding the rest as fast as ffmpeg with one thread", compared("decode", "ffmpeg", others, 1)
    for measure, what in (
        ("cpu", "CPU time of playing"), ("memory", "peak memory"), ("first", "first sound of a file"),
        ("first-http", "first sound over HTTP"),
    ):
        yield f"{what} better than ffplay's", compared(measure, "ffplay", forms, 1)
    yield "first sound of an MP3 under 3 times mpg123's", compared("first", "mpg123", ["mp3"], 1 / 3)
    ours = results["first-http"].get("mp3", {}).get("martlet")
    state = "unknown" if ours is None else "met" if ours < 0.12 else f"missed: {ours * 1000:.0f} ms"
    yield "first sound of an MP3 over HTTP under 120 ms", state
