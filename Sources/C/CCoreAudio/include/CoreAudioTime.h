// Points in time.
#ifndef CCOREAUDIO_TIME_H
#define CCOREAUDIO_TIME_H

#include "CoreAudioBase.h"

typedef enum MARTLET_ENUM SMPTETimeType : uint32_t {
  kSMPTETimeType24 MARTLET_NAME(type24) = 0,
  kSMPTETimeType25 MARTLET_NAME(type25) = 1,
  kSMPTETimeType30Drop MARTLET_NAME(type30Drop) = 2,
  kSMPTETimeType30 MARTLET_NAME(type30) = 3,
  kSMPTETimeType2997 MARTLET_NAME(type2997) = 4,
  kSMPTETimeType2997Drop MARTLET_NAME(type2997Drop) = 5,
  kSMPTETimeType60 MARTLET_NAME(type60) = 6,
  kSMPTETimeType5994 MARTLET_NAME(type5994) = 7,
  kSMPTETimeType60Drop MARTLET_NAME(type60Drop) = 8,
  kSMPTETimeType5994Drop MARTLET_NAME(type5994Drop) = 9,
  kSMPTETimeType50 MARTLET_NAME(type50) = 10,
  kSMPTETimeType2398 MARTLET_NAME(type2398) = 11,
} SMPTETimeType;

typedef enum MARTLET_OPTIONS SMPTETimeFlags : uint32_t {
  kSMPTETimeValid MARTLET_NAME(valid) = 1u << 0,
  kSMPTETimeRunning MARTLET_NAME(running) = 1u << 1,
} SMPTETimeFlags;

typedef struct SMPTETime {
  int16_t mSubframes;
  int16_t mSubframeDivisor;
  uint32_t mCounter;
  SMPTETimeType mType;
  SMPTETimeFlags mFlags;
  int16_t mHours;
  int16_t mMinutes;
  int16_t mSeconds;
  int16_t mFrames;
} SMPTETime;

/// Which parts of a time stamp say something.
typedef enum MARTLET_OPTIONS AudioTimeStampFlags : uint32_t {
  kAudioTimeStampSampleTimeValid MARTLET_NAME(sampleTimeValid) = 1u << 0,
  kAudioTimeStampHostTimeValid MARTLET_NAME(hostTimeValid) = 1u << 1,
  kAudioTimeStampRateScalarValid MARTLET_NAME(rateScalarValid) = 1u << 2,
  kAudioTimeStampWordClockTimeValid MARTLET_NAME(wordClockTimeValid) = 1u << 3,
  kAudioTimeStampSMPTETimeValid MARTLET_NAME(smpteTimeValid) = 1u << 4,
  kAudioTimeStampSampleHostTimeValid MARTLET_NAME(sampleHostTimeValid) = (1u << 0) | (1u << 1),
} AudioTimeStampFlags;

/// A point in time by several clocks.
typedef struct AudioTimeStamp {
  /// Frames since a start that the sender chose.
  double mSampleTime;
  /// Nanoseconds of CLOCK_MONOTONIC.
  uint64_t mHostTime;
  /// Host ticks per frame, as measured / as stated.
  double mRateScalar;
  uint64_t mWordClockTime;
  SMPTETime mSMPTETime;
  AudioTimeStampFlags mFlags;
  uint32_t mReserved;
} AudioTimeStamp;

#endif
