// Named layouts. The comments give the order of the channels: L left, R right, C centre, LFE low frequency, Ls and Rs
// surround, Lc and Rc between centre and side, Cs behind, Rls and Rrs rear.
#ifndef CCOREAUDIO_LAYOUT_TAGS_H
#define CCOREAUDIO_LAYOUT_TAGS_H

#include "CoreAudioChannels.h"

enum MARTLET_CONSTANTS(AudioChannelLayoutTag) {
  kAudioChannelLayoutTag_UseChannelDescriptions = (0u << 16) | 0,
  kAudioChannelLayoutTag_UseChannelBitmap = (1u << 16) | 0,

  kAudioChannelLayoutTag_Mono = (100u << 16) | 1,
  kAudioChannelLayoutTag_Stereo = (101u << 16) | 2,            // L R
  kAudioChannelLayoutTag_StereoHeadphones = (102u << 16) | 2,  // L R
  kAudioChannelLayoutTag_MatrixStereo = (103u << 16) | 2,      // Lt Rt
  kAudioChannelLayoutTag_MidSide = (104u << 16) | 2,
  kAudioChannelLayoutTag_XY = (105u << 16) | 2,
  kAudioChannelLayoutTag_Binaural = (106u << 16) | 2,
  kAudioChannelLayoutTag_Ambisonic_B_Format = (107u << 16) | 4,
  kAudioChannelLayoutTag_Quadraphonic = (108u << 16) | 4,      // L R Ls Rs
  kAudioChannelLayoutTag_Pentagonal = (109u << 16) | 5,        // L R Ls Rs C
  kAudioChannelLayoutTag_Hexagonal = (110u << 16) | 6,         // L R Ls Rs C Cs
  kAudioChannelLayoutTag_Octagonal = (111u << 16) | 8,         // L R Ls Rs C Cs, wide left, wide right
  kAudioChannelLayoutTag_Cube = (112u << 16) | 8,

  kAudioChannelLayoutTag_MPEG_1_0 = kAudioChannelLayoutTag_Mono,
  kAudioChannelLayoutTag_MPEG_2_0 = kAudioChannelLayoutTag_Stereo,
  kAudioChannelLayoutTag_MPEG_3_0_A = (113u << 16) | 3,        // L R C
  kAudioChannelLayoutTag_MPEG_3_0_B = (114u << 16) | 3,        // C L R
  kAudioChannelLayoutTag_MPEG_4_0_A = (115u << 16) | 4,        // L R C Cs
  kAudioChannelLayoutTag_MPEG_4_0_B = (116u << 16) | 4,        // C L R Cs
  kAudioChannelLayoutTag_MPEG_5_0_A = (117u << 16) | 5,        // L R C Ls Rs
  kAudioChannelLayoutTag_MPEG_5_0_B = (118u << 16) | 5,        // L R Ls Rs C
  kAudioChannelLayoutTag_MPEG_5_0_C = (119u << 16) | 5,        // L C R Ls Rs
  kAudioChannelLayoutTag_MPEG_5_0_D = (120u << 16) | 5,        // C L R Ls Rs
  kAudioChannelLayoutTag_MPEG_5_1_A = (121u << 16) | 6,        // L R C LFE Ls Rs
  kAudioChannelLayoutTag_MPEG_5_1_B = (122u << 16) | 6,        // L R Ls Rs C LFE
  kAudioChannelLayoutTag_MPEG_5_1_C = (123u << 16) | 6,        // L C R Ls Rs LFE
  kAudioChannelLayoutTag_MPEG_5_1_D = (124u << 16) | 6,        // C L R Ls Rs LFE
  kAudioChannelLayoutTag_MPEG_6_1_A = (125u << 16) | 7,        // L R C LFE Ls Rs Cs
  kAudioChannelLayoutTag_MPEG_7_1_A = (126u << 16) | 8,        // L R C LFE Ls Rs Lc Rc
  kAudioChannelLayoutTag_MPEG_7_1_B = (127u << 16) | 8,        // C Lc Rc L R Ls Rs LFE
  kAudioChannelLayoutTag_MPEG_7_1_C = (128u << 16) | 8,        // L R C LFE Ls Rs Rls Rrs
  kAudioChannelLayoutTag_Emagic_Default_7_1 = (129u << 16) | 8,  // L R Ls Rs C LFE Lc Rc
  kAudioChannelLayoutTag_SMPTE_DTV = (130u << 16) | 8,         // L R C LFE Ls Rs Lt Rt

  kAudioChannelLayoutTag_ITU_1_0 = kAudioChannelLayoutTag_Mono,
  kAudioChannelLayoutTag_ITU_2_0 = kAudioChannelLayoutTag_Stereo,
  kAudioChannelLayoutTag_ITU_2_1 = (131u << 16) | 3,           // L R Cs
  kAudioChannelLayoutTag_ITU_2_2 = (132u << 16) | 4,           // L R Ls Rs
  kAudioChannelLayoutTag_ITU_3_0 = kAudioChannelLayoutTag_MPEG_3_0_A,
  kAudioChannelLayoutTag_ITU_3_1 = kAudioChannelLayoutTag_MPEG_4_0_A,
  kAudioChannelLayoutTag_ITU_3_2 = kAudioChannelLayoutTag_MPEG_5_0_A,
  kAudioChannelLayoutTag_ITU_3_2_1 = kAudioChannelLayoutTag_MPEG_5_1_A,
  kAudioChannelLayoutTag_ITU_3_4_1 = kAudioChannelLayoutTag_MPEG_7_1_C,

  kAudioChannelLayoutTag_DVD_4 = (133u << 16) | 3,             // L R LFE
  kAudioChannelLayoutTag_DVD_5 = (134u << 16) | 4,             // L R LFE Cs
  kAudioChannelLayoutTag_DVD_6 = (135u << 16) | 5,             // L R LFE Ls Rs
  kAudioChannelLayoutTag_DVD_10 = (136u << 16) | 4,            // L R C LFE
  kAudioChannelLayoutTag_DVD_11 = (137u << 16) | 5,            // L R C LFE Cs
  kAudioChannelLayoutTag_DVD_18 = (138u << 16) | 5,            // L R Ls Rs LFE

  kAudioChannelLayoutTag_AudioUnit_4 = kAudioChannelLayoutTag_Quadraphonic,
  kAudioChannelLayoutTag_AudioUnit_5 = kAudioChannelLayoutTag_Pentagonal,
  kAudioChannelLayoutTag_AudioUnit_6 = kAudioChannelLayoutTag_Hexagonal,
  kAudioChannelLayoutTag_AudioUnit_8 = kAudioChannelLayoutTag_Octagonal,
  kAudioChannelLayoutTag_AudioUnit_5_0 = kAudioChannelLayoutTag_MPEG_5_0_B,
  kAudioChannelLayoutTag_AudioUnit_6_0 = (139u << 16) | 6,     // L R Ls Rs C Cs
  kAudioChannelLayoutTag_AudioUnit_7_0 = (140u << 16) | 7,     // L R Ls Rs C Rls Rrs
  kAudioChannelLayoutTag_AudioUnit_7_0_Front = (148u << 16) | 7,  // L R Ls Rs C Lc Rc
  kAudioChannelLayoutTag_AudioUnit_5_1 = kAudioChannelLayoutTag_MPEG_5_1_A,
  kAudioChannelLayoutTag_AudioUnit_6_1 = kAudioChannelLayoutTag_MPEG_6_1_A,
  kAudioChannelLayoutTag_AudioUnit_7_1 = kAudioChannelLayoutTag_MPEG_7_1_C,
  kAudioChannelLayoutTag_AudioUnit_7_1_Front = kAudioChannelLayoutTag_MPEG_7_1_A,

  kAudioChannelLayoutTag_AAC_3_0 = kAudioChannelLayoutTag_MPEG_3_0_B,
  kAudioChannelLayoutTag_AAC_Quadraphonic = kAudioChannelLayoutTag_Quadraphonic,
  kAudioChannelLayoutTag_AAC_4_0 = kAudioChannelLayoutTag_MPEG_4_0_B,
  kAudioChannelLayoutTag_AAC_5_0 = kAudioChannelLayoutTag_MPEG_5_0_D,
  kAudioChannelLayoutTag_AAC_5_1 = kAudioChannelLayoutTag_MPEG_5_1_D,
  kAudioChannelLayoutTag_AAC_6_0 = (141u << 16) | 6,           // C L R Ls Rs Cs
  kAudioChannelLayoutTag_AAC_6_1 = (142u << 16) | 7,           // C L R Ls Rs Cs LFE
  kAudioChannelLayoutTag_AAC_7_0 = (143u << 16) | 7,           // C L R Ls Rs Rls Rrs
  kAudioChannelLayoutTag_AAC_7_1 = kAudioChannelLayoutTag_MPEG_7_1_B,
  kAudioChannelLayoutTag_AAC_7_1_B = (183u << 16) | 8,         // C L R Ls Rs Rls Rrs LFE
  kAudioChannelLayoutTag_AAC_Octagonal = (144u << 16) | 8,     // C L R Ls Rs Rls Rrs Cs

  kAudioChannelLayoutTag_WAVE_2_1 = kAudioChannelLayoutTag_DVD_4,
  kAudioChannelLayoutTag_WAVE_3_0 = kAudioChannelLayoutTag_MPEG_3_0_A,
  kAudioChannelLayoutTag_WAVE_4_0_A = kAudioChannelLayoutTag_ITU_2_2,
  kAudioChannelLayoutTag_WAVE_4_0_B = (185u << 16) | 4,        // L R Rls Rrs
  kAudioChannelLayoutTag_WAVE_5_0_A = kAudioChannelLayoutTag_MPEG_5_0_A,
  kAudioChannelLayoutTag_WAVE_5_0_B = (186u << 16) | 5,        // L R C Rls Rrs
  kAudioChannelLayoutTag_WAVE_5_1_A = kAudioChannelLayoutTag_MPEG_5_1_A,
  kAudioChannelLayoutTag_WAVE_5_1_B = (187u << 16) | 6,        // L R C LFE Rls Rrs
  kAudioChannelLayoutTag_WAVE_6_1 = (188u << 16) | 7,          // L R C LFE Cs Ls Rs
  kAudioChannelLayoutTag_WAVE_7_1 = (189u << 16) | 8,          // L R C LFE Rls Rrs Ls Rs

  // To be completed by `| number of channels`.
  kAudioChannelLayoutTag_DiscreteInOrder = (147u << 16) | 0,
  kAudioChannelLayoutTag_HOA_ACN_SN3D = (190u << 16) | 0,
  kAudioChannelLayoutTag_HOA_ACN_N3D = (191u << 16) | 0,

  kAudioChannelLayoutTag_BeginReserved = 0xF0000000u,
  kAudioChannelLayoutTag_EndReserved = 0xFFFEFFFFu,
  kAudioChannelLayoutTag_Unknown = 0xFFFF0000u,
};

#endif
