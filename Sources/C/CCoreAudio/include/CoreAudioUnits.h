// Names of units.
#ifndef CCOREAUDIO_UNITS_H
#define CCOREAUDIO_UNITS_H

#include "CoreAudioBase.h"

/// Which unit is meant. Fields of 0 mean any.
typedef struct AudioComponentDescription {
  OSType componentType;
  OSType componentSubType;
  OSType componentManufacturer;
  uint32_t componentFlags;
  uint32_t componentFlagsMask;
} AudioComponentDescription;

enum MARTLET_CONSTANTS(uint32_t) {
  kAudioUnitType_Output = 'auou',
  kAudioUnitType_MusicDevice = 'aumu',
  kAudioUnitType_MusicEffect = 'aumf',
  kAudioUnitType_FormatConverter = 'aufc',
  kAudioUnitType_Effect = 'aufx',
  kAudioUnitType_Mixer = 'aumx',
  kAudioUnitType_Panner = 'aupn',
  kAudioUnitType_Generator = 'augn',
  kAudioUnitType_OfflineEffect = 'auol',
  kAudioUnitManufacturer_Apple = 'appl',
};

enum MARTLET_CONSTANTS(uint32_t) {
  kAudioUnitSubType_GenericOutput = 'genr',
  kAudioUnitSubType_DefaultOutput = 'def ',
  kAudioUnitSubType_SystemOutput = 'sys ',
  kAudioUnitSubType_HALOutput = 'ahal',
  kAudioUnitSubType_RemoteIO = 'rioc',
  kAudioUnitSubType_VoiceProcessingIO = 'vpio',
  kAudioUnitSubType_AUConverter = 'conv',
  kAudioUnitSubType_Varispeed = 'vari',
  kAudioUnitSubType_TimePitch = 'tmpt',
  kAudioUnitSubType_NewTimePitch = 'nutp',
  kAudioUnitSubType_AUiPodTimeOther = 'ipto',
  kAudioUnitSubType_MultiChannelMixer = 'mcmx',
  kAudioUnitSubType_MatrixMixer = 'mxmx',
  kAudioUnitSubType_Delay = 'dely',
  kAudioUnitSubType_LowPassFilter = 'lpas',
  kAudioUnitSubType_HighPassFilter = 'hpas',
  kAudioUnitSubType_BandPassFilter = 'bpas',
  kAudioUnitSubType_HighShelfFilter = 'hshf',
  kAudioUnitSubType_LowShelfFilter = 'lshf',
  kAudioUnitSubType_ParametricEQ = 'pmeq',
  kAudioUnitSubType_PeakLimiter = 'lmtr',
  kAudioUnitSubType_DynamicsProcessor = 'dcmp',
  kAudioUnitSubType_Distortion = 'dist',
  kAudioUnitSubType_NBandEQ = 'nbeq',
  kAudioUnitSubType_Reverb2 = 'rvb2',
  kAudioUnitSubType_MatrixReverb = 'mrev',
  kAudioUnitSubType_AudioFilePlayer = 'afpl',
  kAudioUnitSubType_ScheduledSoundPlayer = 'sspl',
};

#endif
