// WAVE files of 32-bit floats, read whole and written whole: all that the drivers of the peers need.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  float *samples;  // interleaved
  size_t frames;
  unsigned channels, rate;
} Sound;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static uint32_t number(const unsigned char *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static Sound read_sound(const char *path) {
  Sound sound = {NULL, 0, 0, 0};
  FILE *file = fopen(path, "rb");
  unsigned char head[12], chunk[8], form[16];
  if (!file || fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) || memcmp(head + 8, "WAVE", 4)) fail("no WAVE file");
  while (fread(chunk, 1, 8, file) == 8) {
    uint32_t size = number(chunk + 4);
    if (!memcmp(chunk, "fmt ", 4) && size >= 16) {
      if (fread(form, 1, 16, file) != 16) fail("short file");
      if ((number(form) & 0xffff) != 3 || number(form + 12) >> 16 != 32) fail("not 32-bit floats");
      sound.channels = number(form) >> 16;
      sound.rate = number(form + 4);
      fseek(file, size - 16 + (size & 1), SEEK_CUR);
    } else if (!memcmp(chunk, "data", 4) && sound.channels) {
      sound.frames = size / 4 / sound.channels;
      sound.samples = (float *)malloc(size + 4);
      if (!sound.samples || fread(sound.samples, 4 * sound.channels, sound.frames, file) != sound.frames) fail("short file");
      break;
    } else {
      fseek(file, size + (size & 1), SEEK_CUR);
    }
  }
  fclose(file);
  if (!sound.samples) fail("no sound in the file");
  return sound;
}

static void put(FILE *file, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) fputc(value >> 8 * i & 0xff, file);
}

static void write_sound(const char *path, Sound sound) {
  FILE *file = fopen(path, "wb");
  if (!file) fail("can't write");
  uint32_t frame = 4 * sound.channels, size = (uint32_t)sound.frames * frame;
  fwrite("RIFF", 1, 4, file), put(file, 36 + size, 4), fwrite("WAVEfmt ", 1, 8, file), put(file, 16, 4), put(file, 3, 2);
  put(file, sound.channels, 2), put(file, sound.rate, 4), put(file, sound.rate * frame, 4), put(file, frame, 2);
  put(file, 32, 2), fwrite("data", 1, 4, file), put(file, size, 4);
  if (fwrite(sound.samples, frame, sound.frames, file) != sound.frames || fclose(file)) fail("can't write");
}

// A change of rate and pitch from a time of the output on.
typedef struct {
  double second, rate, cents;
} Change;

// The words behind the mode: "RATE CENTS", or "@SCRIPT -" with lines "outputSecond rate cents", the first at 0.
static size_t read_changes(const char *rate, const char *cents, Change *changes, size_t most) {
  if (rate[0] != '@') {
    Change only = {0, atof(rate), atof(cents)};
    changes[0] = only;
    return 1;
  }
  FILE *file = fopen(rate + 1, "r");
  size_t count = 0;
  Change next;
  if (!file) fail("no such script");
  while (count < most && fscanf(file, "%lf %lf %lf", &next.second, &next.rate, &next.cents) == 3) changes[count++] = next;
  fclose(file);
  if (!count) fail("an empty script");
  return count;
}
