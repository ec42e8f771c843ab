// What a stream of sound consists of: its description, its buffers and its packets.
#ifndef CCOREAUDIO_STREAMS_H
#define CCOREAUDIO_STREAMS_H

#include "CoreAudioBase.h"

MARTLET_ASSUME_NONNULL_BEGIN

/// Four letters that name a coding: `kAudioFormatLinearPCM`, ….
typedef uint32_t AudioFormatID;
/// Details of a coding; for linear PCM `kAudioFormatFlagIsFloat`, ….
typedef uint32_t AudioFormatFlags;

/// How the bytes of a stream are to be read. 40 bytes without padding, so that two may be compared by `memcmp`.
typedef struct AudioStreamBasicDescription {
  /// Frames per second; 0 where it is not known.
  double mSampleRate;
  AudioFormatID mFormatID;
  AudioFormatFlags mFormatFlags;
  /// 0 where packets differ in size.
  uint32_t mBytesPerPacket;
  /// 1 for linear PCM; 0 where packets differ in length.
  uint32_t mFramesPerPacket;
  /// Of all channels, or of one where they are not interleaved; 0 for compressed formats.
  uint32_t mBytesPerFrame;
  uint32_t mChannelsPerFrame;
  /// Significant bits of a sample; 0 for compressed formats.
  uint32_t mBitsPerChannel;
  /// Always 0.
  uint32_t mReserved;
} AudioStreamBasicDescription;

/// Where a packet lies.
typedef struct AudioStreamPacketDescription {
  /// Bytes from the start of the buffer.
  int64_t mStartOffset;
  /// Frames of this packet, or 0 where all have `mFramesPerPacket`.
  uint32_t mVariableFramesInPacket;
  uint32_t mDataByteSize;
} AudioStreamPacketDescription;

/// One piece of memory: all channels interleaved, or one of several.
typedef struct AudioBuffer {
  uint32_t mNumberChannels;
  uint32_t mDataByteSize;
  void *_Nullable mData;
} AudioBuffer;

/// Buffers, as many as there are planes. `mBuffers` has `mNumberBuffers` elements, of which C and Swift see the first.
typedef struct AudioBufferList {
  uint32_t mNumberBuffers;
  AudioBuffer mBuffers[1];
} AudioBufferList;

/// A kind of coder: its type, what it makes, and who made it.
typedef struct AudioClassDescription {
  OSType mType;
  OSType mSubType;
  OSType mManufacturer;
} AudioClassDescription;

/// From `mMinimum` to `mMaximum`, both included.
typedef struct AudioValueRange {
  double mMinimum;
  double mMaximum;
} AudioValueRange;

/// Which frames of a file's packets are sound.
typedef struct AudioFilePacketTableInfo {
  int64_t mNumberValidFrames;
  /// Frames that a decoder makes before the first valid one.
  int32_t mPrimingFrames;
  /// Frames that the last packets hold behind the last valid one.
  int32_t mRemainderFrames;
} AudioFilePacketTableInfo;

/// Frames that a converter needs around those that it converts.
typedef struct AudioConverterPrimeInfo {
  uint32_t leadingFrames;
  uint32_t trailingFrames;
} AudioConverterPrimeInfo;

MARTLET_ASSUME_NONNULL_END

#endif
