// Sonic as `sonic MODE RATE CENTS IN OUT`, in blocks of 512 frames. The mode is taken and not used.
#include <math.h>
#include <sonic.h>
#include "wave.h"

enum { BLOCK = 512, MOST = 4096 };

int main(int count, char **words) {
  static Change changes[MOST];
  if (count != 6) fail("sonic MODE RATE CENTS IN OUT");
  size_t steps = read_changes(words[2], words[3], changes, MOST), step = 0;
  Sound in = read_sound(words[4]), out = {NULL, 0, in.channels, in.rate};
  sonicStream stream = sonicCreateStream(in.rate, in.channels);
  size_t room = 0, at = 0;
  for (;;) {
    while (step < steps && changes[step].second * in.rate <= out.frames) {
      sonicSetSpeed(stream, changes[step].rate);
      sonicSetPitch(stream, pow(2, changes[step].cents / 1200));
      step++;
    }
    size_t some = in.frames - at < BLOCK ? in.frames - at : BLOCK;
    if (some) sonicWriteFloatToStream(stream, in.samples + at * in.channels, some);
    else sonicFlushStream(stream);
    at += some;
    int ready;
    while ((ready = sonicSamplesAvailable(stream)) > 0) {
      if (out.frames + ready > room) {
        room = 2 * (out.frames + ready);
        out.samples = (float *)realloc(out.samples, room * in.channels * 4);
      }
      out.frames += sonicReadFloatFromStream(stream, out.samples + out.frames * in.channels, ready);
    }
    if (!some) break;
  }
  write_sound(words[5], out);
  return 0;
}
