#pragma once
// libpulse as a table of functions that is filled when first needed: a program that renders to a file, or plays on a
// machine that has only ALSA, does without it and its 20 libraries. The headers give the types; calling a function of
// theirs directly does not link, which is meant so.

#include <pulse/pulseaudio.h>

// Every function in use.
#define CPULSE_FUNCTIONS(F)                                                                                            \
  F(pa_channel_map_init)                                                                                               \
  F(pa_context_connect)                                                                                                \
  F(pa_context_disconnect)                                                                                             \
  F(pa_context_errno)                                                                                                  \
  F(pa_context_get_server_info)                                                                                        \
  F(pa_context_get_sink_info_by_index)                                                                                 \
  F(pa_context_get_sink_info_by_name)                                                                                  \
  F(pa_context_get_sink_info_list)                                                                                     \
  F(pa_context_get_source_info_by_index)                                                                               \
  F(pa_context_get_source_info_by_name)                                                                                \
  F(pa_context_get_source_info_list)                                                                                   \
  F(pa_context_get_state)                                                                                              \
  F(pa_context_new_with_proplist)                                                                                      \
  F(pa_context_rttime_new)                                                                                             \
  F(pa_context_set_state_callback)                                                                                     \
  F(pa_context_set_subscribe_callback)                                                                                 \
  F(pa_context_subscribe)                                                                                              \
  F(pa_context_unref)                                                                                                  \
  F(pa_mainloop_api_once)                                                                                              \
  F(pa_operation_cancel)                                                                                               \
  F(pa_operation_get_state)                                                                                            \
  F(pa_operation_unref)                                                                                                \
  F(pa_proplist_free)                                                                                                  \
  F(pa_proplist_gets)                                                                                                  \
  F(pa_proplist_new)                                                                                                   \
  F(pa_proplist_sets)                                                                                                  \
  F(pa_rtclock_now)                                                                                                    \
  F(pa_stream_begin_write)                                                                                             \
  F(pa_stream_cancel_write)                                                                                            \
  F(pa_stream_connect_playback)                                                                                        \
  F(pa_stream_connect_record)                                                                                          \
  F(pa_stream_cork)                                                                                                    \
  F(pa_stream_disconnect)                                                                                              \
  F(pa_stream_drain)                                                                                                   \
  F(pa_stream_drop)                                                                                                    \
  F(pa_stream_get_device_index)                                                                                        \
  F(pa_stream_get_latency)                                                                                             \
  F(pa_stream_get_state)                                                                                               \
  F(pa_stream_get_timing_info)                                                                                         \
  F(pa_stream_is_suspended)                                                                                            \
  F(pa_stream_new_with_proplist)                                                                                       \
  F(pa_stream_peek)                                                                                                    \
  F(pa_stream_set_event_callback)                                                                                      \
  F(pa_stream_set_moved_callback)                                                                                      \
  F(pa_stream_set_overflow_callback)                                                                                   \
  F(pa_stream_set_read_callback)                                                                                       \
  F(pa_stream_set_state_callback)                                                                                      \
  F(pa_stream_set_suspended_callback)                                                                                  \
  F(pa_stream_set_underflow_callback)                                                                                  \
  F(pa_stream_set_write_callback)                                                                                      \
  F(pa_stream_unref)                                                                                                   \
  F(pa_stream_update_timing_info)                                                                                      \
  F(pa_stream_writable_size)                                                                                           \
  F(pa_stream_write)                                                                                                   \
  F(pa_strerror)                                                                                                       \
  F(pa_threaded_mainloop_free)                                                                                         \
  F(pa_threaded_mainloop_get_api)                                                                                      \
  F(pa_threaded_mainloop_lock)                                                                                         \
  F(pa_threaded_mainloop_new)                                                                                          \
  F(pa_threaded_mainloop_set_name)                                                                                     \
  F(pa_threaded_mainloop_signal)                                                                                       \
  F(pa_threaded_mainloop_start)                                                                                        \
  F(pa_threaded_mainloop_stop)                                                                                         \
  F(pa_threaded_mainloop_unlock)                                                                                       \
  F(pa_threaded_mainloop_wait)

/// The functions, under their own names.
typedef struct {
#define CPULSE_FIELD(name) __typeof__(name) *_Nonnull name;
  CPULSE_FUNCTIONS(CPULSE_FIELD)
#undef CPULSE_FIELD
} CPulseTable;

/// The table. Loads libpulse at the first call, from whichever thread it comes; later calls cost nothing.
/// @return NULL where the library is missing or lacks a function.
const CPulseTable *_Nullable cpulse_table(void);

/// What went wrong when ``cpulse_table`` answered NULL: the dynamic linker's words, or ours. Never NULL.
const char *_Nonnull cpulse_failure(void);
