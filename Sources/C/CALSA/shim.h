#pragma once
#include <alsa/asoundlib.h>

// The library writes its errors to standard error by a variadic handler, which Swift can't define: one that is silent.
static inline void martlet_alsa_ignore(const char *file, int line, const char *function, int error, const char *format, ...) {}
static inline void martlet_alsa_silence(void) { snd_lib_error_set_handler(martlet_alsa_ignore); }
