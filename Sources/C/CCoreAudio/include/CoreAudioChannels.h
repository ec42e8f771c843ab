// Which loudspeaker a channel is for.
#ifndef CCOREAUDIO_CHANNELS_H
#define CCOREAUDIO_CHANNELS_H

#include "CoreAudioStreams.h"

MARTLET_ASSUME_NONNULL_BEGIN

/// What a channel is for.
typedef uint32_t AudioChannelLabel;
/// A named layout: the number of channels in the lower 16 bits, which layout in the upper ones.
typedef uint32_t AudioChannelLayoutTag;

enum MARTLET_CONSTANTS(AudioChannelLabel) {
  kAudioChannelLabel_Unknown = 0xFFFFFFFFu,
  kAudioChannelLabel_Unused = 0,
  kAudioChannelLabel_UseCoordinates = 100,
  kAudioChannelLabel_Left = 1,
  kAudioChannelLabel_Right = 2,
  kAudioChannelLabel_Center = 3,
  kAudioChannelLabel_LFEScreen = 4,
  kAudioChannelLabel_LeftSurround = 5,
  kAudioChannelLabel_RightSurround = 6,
  kAudioChannelLabel_LeftCenter = 7,
  kAudioChannelLabel_RightCenter = 8,
  kAudioChannelLabel_CenterSurround = 9,
  kAudioChannelLabel_LeftSurroundDirect = 10,
  kAudioChannelLabel_RightSurroundDirect = 11,
  kAudioChannelLabel_TopCenterSurround = 12,
  kAudioChannelLabel_VerticalHeightLeft = 13,
  kAudioChannelLabel_VerticalHeightCenter = 14,
  kAudioChannelLabel_VerticalHeightRight = 15,
  kAudioChannelLabel_TopBackLeft = 16,
  kAudioChannelLabel_TopBackCenter = 17,
  kAudioChannelLabel_TopBackRight = 18,
  kAudioChannelLabel_RearSurroundLeft = 33,
  kAudioChannelLabel_RearSurroundRight = 34,
  kAudioChannelLabel_LeftWide = 35,
  kAudioChannelLabel_RightWide = 36,
  kAudioChannelLabel_LFE2 = 37,
  kAudioChannelLabel_LeftTotal = 38,
  kAudioChannelLabel_RightTotal = 39,
  kAudioChannelLabel_HearingImpaired = 40,
  kAudioChannelLabel_Narration = 41,
  kAudioChannelLabel_Mono = 42,
  kAudioChannelLabel_DialogCentricMix = 43,
  kAudioChannelLabel_CenterSurroundDirect = 44,
  kAudioChannelLabel_Ambisonic_W = 200,
  kAudioChannelLabel_Ambisonic_X = 201,
  kAudioChannelLabel_Ambisonic_Y = 202,
  kAudioChannelLabel_Ambisonic_Z = 203,
  kAudioChannelLabel_MS_Mid = 204,
  kAudioChannelLabel_MS_Side = 205,
  kAudioChannelLabel_XY_X = 206,
  kAudioChannelLabel_XY_Y = 207,
  kAudioChannelLabel_HeadphonesLeft = 301,
  kAudioChannelLabel_HeadphonesRight = 302,
  kAudioChannelLabel_ClickTrack = 304,
  kAudioChannelLabel_ForeignLanguage = 305,
  kAudioChannelLabel_Discrete = 400,
  kAudioChannelLabel_Discrete_0 = 1u << 16,
};

/// Loudspeakers as bits, in the order of WAVE's channel mask.
typedef enum MARTLET_OPTIONS AudioChannelBitmap : uint32_t {
  kAudioChannelBit_Left MARTLET_NAME(bit_Left) = 1u << 0,
  kAudioChannelBit_Right MARTLET_NAME(bit_Right) = 1u << 1,
  kAudioChannelBit_Center MARTLET_NAME(bit_Center) = 1u << 2,
  kAudioChannelBit_LFEScreen MARTLET_NAME(bit_LFEScreen) = 1u << 3,
  kAudioChannelBit_LeftSurround MARTLET_NAME(bit_LeftSurround) = 1u << 4,
  kAudioChannelBit_RightSurround MARTLET_NAME(bit_RightSurround) = 1u << 5,
  kAudioChannelBit_LeftCenter MARTLET_NAME(bit_LeftCenter) = 1u << 6,
  kAudioChannelBit_RightCenter MARTLET_NAME(bit_RightCenter) = 1u << 7,
  kAudioChannelBit_CenterSurround MARTLET_NAME(bit_CenterSurround) = 1u << 8,
  kAudioChannelBit_LeftSurroundDirect MARTLET_NAME(bit_LeftSurroundDirect) = 1u << 9,
  kAudioChannelBit_RightSurroundDirect MARTLET_NAME(bit_RightSurroundDirect) = 1u << 10,
  kAudioChannelBit_TopCenterSurround MARTLET_NAME(bit_TopCenterSurround) = 1u << 11,
  kAudioChannelBit_VerticalHeightLeft MARTLET_NAME(bit_VerticalHeightLeft) = 1u << 12,
  kAudioChannelBit_VerticalHeightCenter MARTLET_NAME(bit_VerticalHeightCenter) = 1u << 13,
  kAudioChannelBit_VerticalHeightRight MARTLET_NAME(bit_VerticalHeightRight) = 1u << 14,
  kAudioChannelBit_TopBackLeft MARTLET_NAME(bit_TopBackLeft) = 1u << 15,
  kAudioChannelBit_TopBackCenter MARTLET_NAME(bit_TopBackCenter) = 1u << 16,
  kAudioChannelBit_TopBackRight MARTLET_NAME(bit_TopBackRight) = 1u << 17,
} AudioChannelBitmap;

/// How a channel's coordinates are meant.
typedef enum MARTLET_OPTIONS AudioChannelFlags : uint32_t {
  kAudioChannelFlags_RectangularCoordinates MARTLET_NAME(rectangularCoordinates) = 1u << 0,
  kAudioChannelFlags_SphericalCoordinates MARTLET_NAME(sphericalCoordinates) = 1u << 1,
  kAudioChannelFlags_Meters MARTLET_NAME(meters) = 1u << 2,
} AudioChannelFlags;

/// A channel, by label or by place.
typedef struct AudioChannelDescription {
  AudioChannelLabel mChannelLabel;
  AudioChannelFlags mChannelFlags;
  float mCoordinates[3];
} AudioChannelDescription;

/// A layout: by tag, by bits, or by one description for each channel, of which C and Swift see the first.
typedef struct AudioChannelLayout {
  AudioChannelLayoutTag mChannelLayoutTag;
  AudioChannelBitmap mChannelBitmap;
  uint32_t mNumberChannelDescriptions;
  AudioChannelDescription mChannelDescriptions[1];
} AudioChannelLayout;

/// A format among several that a stream can be decoded to.
typedef struct AudioFormatListItem {
  AudioStreamBasicDescription mASBD;
  AudioChannelLayoutTag mChannelLayoutTag;
} AudioFormatListItem;

/// The channels that a tag stands for; 0 where it names none.
static inline uint32_t AudioChannelLayoutTag_GetNumberOfChannels(AudioChannelLayoutTag inLayoutTag) {
  return inLayoutTag & 0x0000FFFFu;
}

MARTLET_ASSUME_NONNULL_END

#endif
