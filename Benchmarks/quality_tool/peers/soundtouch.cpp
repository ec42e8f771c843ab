// SoundTouch as `soundtouch MODE RATE CENTS IN OUT`, in blocks of 512 frames. Of modes it knows speech, and the rest.
#include <soundtouch/SoundTouch.h>
#include <vector>
#include "wave.h"

int main(int count, char **words) {
  static Change changes[4096];
  const size_t block = 512;
  if (count != 6) fail("soundtouch MODE RATE CENTS IN OUT");
  size_t steps = read_changes(words[2], words[3], changes, 4096), step = 0;
  Sound in = read_sound(words[4]), out = {NULL, 0, in.channels, in.rate};
  soundtouch::SoundTouch engine;
  engine.setSampleRate(in.rate);
  engine.setChannels(in.channels);
  if (!strcmp(words[1], "speech")) {  // what soundstretch sets for its option -speech
    engine.setSetting(SETTING_SEQUENCE_MS, 40);
    engine.setSetting(SETTING_SEEKWINDOW_MS, 15);
    engine.setSetting(SETTING_OVERLAP_MS, 8);
  }
  std::vector<float> heard, some(block * in.channels);
  for (size_t at = 0;;) {
    while (step < steps && changes[step].second * in.rate <= heard.size() / in.channels) {
      engine.setTempo(changes[step].rate);
      engine.setPitchSemiTones(changes[step].cents / 100);
      step++;
    }
    size_t length = in.frames - at < block ? in.frames - at : block;
    if (length) engine.putSamples(in.samples + at * in.channels, length);
    else engine.flush();
    at += length;
    while (size_t ready = engine.receiveSamples(some.data(), block))
      heard.insert(heard.end(), some.begin(), some.begin() + ready * in.channels);
    if (!length) break;
  }
  out.samples = heard.data();
  out.frames = heard.size() / in.channels;
  write_sound(words[5], out);
}
