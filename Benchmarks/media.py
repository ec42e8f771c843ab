"""Media of all formats, made by FFmpeg: loud from the first sample, with tones and noise as music has them."""

import os
import subprocess

# Format name: file name, encoder's options.
FORMATS = {
    "mp3": ("sound.mp3", ["-c:a", "libmp3lame", "-b:a", "192k"]),
    "aac": ("sound.aac", ["-c:a", "aac", "-b:a", "160k"]),
    "m4a": ("sound.m4a", ["-c:a", "aac", "-b:a", "160k", "-movflags", "+faststart"]),
    "alac": ("lossless.m4a", ["-c:a", "alac", "-movflags", "+faststart"]),
    "flac": ("sound.flac", ["-c:a", "flac"]),
    "wav": ("sound.wav", ["-c:a", "pcm_s16le"]),
    "aiff": ("sound.aiff", ["-c:a", "pcm_s16be"]),
    "ogg": ("sound.ogg", ["-c:a", "libvorbis", "-q:a", "5"]),
    "opus": ("sound.opus", ["-c:a", "libopus", "-b:a", "128k"]),
    "webm": ("sound.webm", ["-c:a", "libopus", "-b:a", "128k"]),
}

_CHANNEL = "0.35*sin(2*PI*{0}*t)+0.15*sin(2*PI*{0}*3.01*t)+0.1*(random({1})-0.5)"


def make(folder: str, formats: list, seconds: int) -> dict:
    """Writes the files and answers with format: path."""
    def ffmpeg(*options):
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *options], check=True)

    master = os.path.join(folder, "master.wav")
    tone = "|".join(_CHANNEL.format(hertz, channel) for channel, hertz in enumerate((440, 554.37)))
    ffmpeg("-f", "lavfi", "-i", f"aevalsrc={tone}:s=44100:d=10", "-c:a", "pcm_s16le", master)
    paths = {}
    for form in formats:
        name, encoder = FORMATS[form]
        paths[form] = os.path.join(folder, name)
        ffmpeg("-stream_loop", "-1", "-i", master, "-t", str(seconds), *encoder, paths[form])
    return paths
