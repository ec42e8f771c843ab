// Codings and their details.
#ifndef CCOREAUDIO_FORMATS_H
#define CCOREAUDIO_FORMATS_H

#include "CoreAudioStreams.h"

enum MARTLET_CONSTANTS(AudioFormatID) {
  kAudioFormatLinearPCM = 'lpcm',
  kAudioFormatAC3 = 'ac-3',
  kAudioFormat60958AC3 = 'cac3',
  kAudioFormatAppleIMA4 = 'ima4',
  kAudioFormatMPEG4AAC = 'aac ',
  kAudioFormatMPEG4CELP = 'celp',
  kAudioFormatMPEG4HVXC = 'hvxc',
  kAudioFormatMPEG4TwinVQ = 'twvq',
  kAudioFormatMACE3 = 'MAC3',
  kAudioFormatMACE6 = 'MAC6',
  kAudioFormatULaw = 'ulaw',
  kAudioFormatALaw = 'alaw',
  kAudioFormatQDesign = 'QDMC',
  kAudioFormatQDesign2 = 'QDM2',
  kAudioFormatQUALCOMM = 'Qclp',
  kAudioFormatMPEGLayer1 = '.mp1',
  kAudioFormatMPEGLayer2 = '.mp2',
  kAudioFormatMPEGLayer3 = '.mp3',
  kAudioFormatTimeCode = 'time',
  kAudioFormatMIDIStream = 'midi',
  kAudioFormatParameterValueStream = 'apvs',
  kAudioFormatAppleLossless = 'alac',
  kAudioFormatMPEG4AAC_HE = 'aach',
  kAudioFormatMPEG4AAC_LD = 'aacl',
  kAudioFormatMPEG4AAC_ELD = 'aace',
  kAudioFormatMPEG4AAC_ELD_SBR = 'aacf',
  kAudioFormatMPEG4AAC_ELD_V2 = 'aacg',
  kAudioFormatMPEG4AAC_HE_V2 = 'aacp',
  kAudioFormatMPEG4AAC_Spatial = 'aacs',
  kAudioFormatMPEGD_USAC = 'usac',
  kAudioFormatAMR = 'samr',
  kAudioFormatAMR_WB = 'sawb',
  kAudioFormatAudible = 'AUDB',
  kAudioFormatiLBC = 'ilbc',
  kAudioFormatDVIIntelIMA = 0x6D730011,
  kAudioFormatMicrosoftGSM = 0x6D730031,
  kAudioFormatAES3 = 'aes3',
  kAudioFormatEnhancedAC3 = 'ec-3',
  kAudioFormatFLAC = 'flac',
  kAudioFormatOpus = 'opus',
};

enum MARTLET_CONSTANTS(AudioFormatFlags) {
  kAudioFormatFlagIsFloat = 1u << 0,
  kAudioFormatFlagIsBigEndian = 1u << 1,
  kAudioFormatFlagIsSignedInteger = 1u << 2,
  kAudioFormatFlagIsPacked = 1u << 3,
  kAudioFormatFlagIsAlignedHigh = 1u << 4,
  kAudioFormatFlagIsNonInterleaved = 1u << 5,
  kAudioFormatFlagIsNonMixable = 1u << 6,
  kAudioFormatFlagsAreAllClear = 0x80000000u,

  kLinearPCMFormatFlagIsFloat = kAudioFormatFlagIsFloat,
  kLinearPCMFormatFlagIsBigEndian = kAudioFormatFlagIsBigEndian,
  kLinearPCMFormatFlagIsSignedInteger = kAudioFormatFlagIsSignedInteger,
  kLinearPCMFormatFlagIsPacked = kAudioFormatFlagIsPacked,
  kLinearPCMFormatFlagIsAlignedHigh = kAudioFormatFlagIsAlignedHigh,
  kLinearPCMFormatFlagIsNonInterleaved = kAudioFormatFlagIsNonInterleaved,
  kLinearPCMFormatFlagIsNonMixable = kAudioFormatFlagIsNonMixable,
  kLinearPCMFormatFlagsSampleFractionShift = 7,
  kLinearPCMFormatFlagsSampleFractionMask = 0x3Fu << 7,
  kLinearPCMFormatFlagsAreAllClear = kAudioFormatFlagsAreAllClear,

  // The machines that Swift for Linux runs on are little-endian.
  kAudioFormatFlagsNativeEndian = 0,
  kAudioFormatFlagsNativeFloatPacked = kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked,
  kAudioFormatFlagsCanonical = kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked,
  kAudioFormatFlagsAudioUnitCanonical =
      kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked | kAudioFormatFlagIsNonInterleaved,

  // Resolution of the sound that Apple Lossless packs.
  kAppleLosslessFormatFlag_16BitSourceData = 1,
  kAppleLosslessFormatFlag_20BitSourceData = 2,
  kAppleLosslessFormatFlag_24BitSourceData = 3,
  kAppleLosslessFormatFlag_32BitSourceData = 4,
};

/// Kinds of MPEG-4 audio, the `mFormatFlags` of `kAudioFormatMPEG4AAC`.
typedef enum MARTLET_ENUM MPEG4ObjectID : uint32_t {
  kMPEG4Object_AAC_Main MARTLET_NAME(AAC_Main) = 1,
  kMPEG4Object_AAC_LC MARTLET_NAME(AAC_LC) = 2,
  kMPEG4Object_AAC_SSR MARTLET_NAME(AAC_SSR) = 3,
  kMPEG4Object_AAC_LTP MARTLET_NAME(AAC_LTP) = 4,
  kMPEG4Object_AAC_SBR MARTLET_NAME(AAC_SBR) = 5,
  kMPEG4Object_AAC_Scalable MARTLET_NAME(AAC_Scalable) = 6,
  kMPEG4Object_TwinVQ MARTLET_NAME(twinVQ) = 7,
  kMPEG4Object_CELP MARTLET_NAME(CELP) = 8,
  kMPEG4Object_HVXC MARTLET_NAME(HVXC) = 9,
} MPEG4ObjectID;

#endif
