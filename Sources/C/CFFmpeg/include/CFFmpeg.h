#pragma once
// FFmpeg's libraries as a table of functions that is filled when first needed: linked in the usual way they would cost
// every start of a program some 40 ms and 140 shared objects. The headers give the types; calling a function of theirs
// directly does not link, which is meant so.

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/mem.h>

// Every function in use, with the library that has it.
#define CFFMPEG_FUNCTIONS(F)                                                                                          \
  F(avutil, avutil_version)                                                                                           \
  F(avutil, av_log_set_level)                                                                                         \
  F(avutil, av_max_alloc)                                                                                             \
  F(avutil, av_malloc)                                                                                                \
  F(avutil, av_mallocz)                                                                                               \
  F(avutil, av_free)                                                                                                  \
  F(avutil, av_strdup)                                                                                                \
  F(avutil, av_dict_get)                                                                                              \
  F(avutil, av_frame_alloc)                                                                                           \
  F(avutil, av_frame_free)                                                                                            \
  F(avutil, av_frame_get_side_data)                                                                                   \
  F(avutil, av_frame_unref)                                                                                           \
  F(avutil, av_channel_layout_default)                                                                                \
  F(avutil, av_channel_layout_from_mask)                                                                              \
  F(avutil, av_channel_layout_copy)                                                                                   \
  F(avutil, av_frame_get_buffer)                                                                                      \
  F(avutil, av_frame_make_writable)                                                                                   \
  F(avcodec, avcodec_version)                                                                                         \
  F(avcodec, av_packet_alloc)                                                                                         \
  F(avcodec, av_packet_free)                                                                                          \
  F(avcodec, av_packet_unref)                                                                                         \
  F(avcodec, av_packet_move_ref)                                                                                      \
  F(avcodec, av_packet_get_side_data)                                                                                 \
  F(avcodec, avcodec_find_decoder)                                                                                    \
  F(avcodec, avcodec_get_name)                                                                                        \
  F(avcodec, avcodec_descriptor_get_by_name)                                                                          \
  F(avcodec, avcodec_parameters_alloc)                                                                                \
  F(avcodec, avcodec_parameters_free)                                                                                 \
  F(avcodec, avcodec_parameters_copy)                                                                                 \
  F(avcodec, avcodec_parameters_to_context)                                                                           \
  F(avcodec, avcodec_alloc_context3)                                                                                  \
  F(avcodec, avcodec_free_context)                                                                                    \
  F(avcodec, avcodec_open2)                                                                                           \
  F(avcodec, avcodec_send_packet)                                                                                     \
  F(avcodec, avcodec_receive_frame)                                                                                   \
  F(avcodec, avcodec_find_encoder_by_name)                                                                            \
  F(avcodec, avcodec_send_frame)                                                                                      \
  F(avcodec, avcodec_receive_packet)                                                                                  \
  F(avformat, avformat_version)                                                                                       \
  F(avformat, av_find_input_format)                                                                                   \
  F(avformat, av_probe_input_format2)                                                                                 \
  F(avformat, avformat_alloc_context)                                                                                 \
  F(avformat, avformat_open_input)                                                                                    \
  F(avformat, avformat_close_input)                                                                                   \
  F(avformat, avformat_find_stream_info)                                                                              \
  F(avformat, av_read_frame)                                                                                          \
  F(avformat, av_seek_frame)                                                                                          \
  F(avformat, avio_alloc_context)                                                                                     \
  F(avformat, avio_context_free)

/// The functions, under their own names.
typedef struct {
#define CFFMPEG_FIELD(library, name) __typeof__(name) *_Nonnull name;
  CFFMPEG_FUNCTIONS(CFFMPEG_FIELD)
#undef CFFMPEG_FIELD
} CFFmpegTable;

/// The table. Loads the libraries at the first call, from whichever thread it comes; later calls cost nothing.
/// @return NULL where a library is missing, has another major version than the headers, or lacks a function.
const CFFmpegTable *_Nullable cffmpeg_table(void);

/// Whether the libraries have been loaded. Does not load them.
int cffmpeg_is_loaded(void);

/// What went wrong when ``cffmpeg_table`` answered NULL: the dynamic linker's words, or ours. Never NULL.
const char *_Nonnull cffmpeg_failure(void);

// What Swift does not import.
static const int64_t CFFMPEG_NO_TIMESTAMP = AV_NOPTS_VALUE;
static const int32_t CFFMPEG_END_OF_FILE = AVERROR_EOF;
static const int32_t CFFMPEG_TRY_AGAIN = AVERROR(EAGAIN);
static const int32_t CFFMPEG_NO_MEMORY = AVERROR(ENOMEM);
static const int32_t CFFMPEG_IO_ERROR = AVERROR(EIO);
static const int32_t CFFMPEG_NOT_PERMITTED = AVERROR(EPERM);
static const int32_t CFFMPEG_NOT_SUPPORTED = AVERROR(ENOSYS);
static const int32_t CFFMPEG_GLOBAL_HEADER = AV_CODEC_FLAG_GLOBAL_HEADER;
static const int32_t CFFMPEG_BY_QUALITY = AV_CODEC_FLAG_QSCALE;
static const int32_t CFFMPEG_QUALITY_STEP = FF_QP2LAMBDA;
