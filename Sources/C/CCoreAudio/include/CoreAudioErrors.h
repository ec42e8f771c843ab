// Results of calls, as `OSStatus`.
#ifndef CCOREAUDIO_ERRORS_H
#define CCOREAUDIO_ERRORS_H

#include "CoreAudioBase.h"

enum MARTLET_CONSTANTS(OSStatus) {
  kAudio_UnimplementedError = -4,
  kAudio_FileNotFoundError = -43,
  kAudio_FilePermissionError = -54,
  kAudio_TooManyFilesOpenError = -42,
  kAudio_BadFilePathError = 0x21707468, // '!pth'
  kAudio_ParamError = -50,
  kAudio_MemFullError = -108,
};

enum MARTLET_CONSTANTS(OSStatus) {
  kAudioUnitErr_InvalidProperty = -10879,
  kAudioUnitErr_InvalidParameter = -10878,
  kAudioUnitErr_InvalidElement = -10877,
  kAudioUnitErr_NoConnection = -10876,
  kAudioUnitErr_FailedInitialization = -10875,
  kAudioUnitErr_TooManyFramesToProcess = -10874,
  kAudioUnitErr_InvalidFile = -10871,
  kAudioUnitErr_UnknownFileType = -10870,
  kAudioUnitErr_FileNotSpecified = -10869,
  kAudioUnitErr_FormatNotSupported = -10868,
  kAudioUnitErr_Uninitialized = -10867,
  kAudioUnitErr_InvalidScope = -10866,
  kAudioUnitErr_PropertyNotWritable = -10865,
  kAudioUnitErr_CannotDoInCurrentContext = -10863,
  kAudioUnitErr_InvalidPropertyValue = -10851,
  kAudioUnitErr_PropertyNotInUse = -10850,
  kAudioUnitErr_Initialized = -10849,
  kAudioUnitErr_InvalidOfflineRender = -10848,
  kAudioUnitErr_Unauthorized = -10847,
  kAudioUnitErr_RenderTimeout = -66745,
};

enum MARTLET_CONSTANTS(OSStatus) {
  kAudioConverterErr_FormatNotSupported = 'fmt?',
  kAudioConverterErr_OperationNotSupported = 0x6F703F3F, // 'op??', whose question marks C could take for a trigraph
  kAudioConverterErr_PropertyNotSupported = 'prop',
  kAudioConverterErr_InvalidInputSize = 'insz',
  kAudioConverterErr_InvalidOutputSize = 'otsz',
  kAudioConverterErr_UnspecifiedError = 'what',
  kAudioConverterErr_BadPropertySizeError = '!siz',
  kAudioConverterErr_RequiresPacketDescriptionsError = '!pkd',
  kAudioConverterErr_InputSampleRateOutOfRange = '!isr',
  kAudioConverterErr_OutputSampleRateOutOfRange = '!osr',
  kAudioConverterErr_HardwareInUse = 'hwiu',
  kAudioConverterErr_NoHardwarePermission = 'perm',
};

enum MARTLET_CONSTANTS(OSStatus) {
  kAudioFileUnspecifiedError = 'wht?',
  kAudioFileUnsupportedFileTypeError = 'typ?',
  kAudioFileUnsupportedDataFormatError = 'fmt?',
  kAudioFileUnsupportedPropertyError = 'pty?',
  kAudioFileBadPropertySizeError = '!siz',
  kAudioFilePermissionsError = 'prm?',
  kAudioFileNotOptimizedError = 'optm',
  kAudioFileInvalidChunkError = 'chk?',
  kAudioFileDoesNotAllow64BitDataSizeError = 'off?',
  kAudioFileInvalidPacketOffsetError = 'pck?',
  kAudioFileInvalidPacketDependencyError = 'dep?',
  kAudioFileInvalidFileError = 'dta?',
  kAudioFileOperationNotSupportedError = 0x6F703F3F, // 'op??'
  kAudioFileNotOpenError = -38,
  kAudioFileEndOfFileError = -39,
  kAudioFilePositionError = -40,
  kAudioFileFileNotFoundError = -43,
};

/// Kinds of files.
typedef uint32_t AudioFileTypeID;

enum MARTLET_CONSTANTS(AudioFileTypeID) {
  kAudioFileAIFFType = 'AIFF',
  kAudioFileAIFCType = 'AIFC',
  kAudioFileWAVEType = 'WAVE',
  kAudioFileRF64Type = 'RF64',
  kAudioFileBW64Type = 'BW64',
  kAudioFileWave64Type = 'W64f',
  kAudioFileSoundDesigner2Type = 'Sd2f',
  kAudioFileNextType = 'NeXT',
  kAudioFileMP3Type = 'MPG3',
  kAudioFileMP2Type = 'MPG2',
  kAudioFileMP1Type = 'MPG1',
  kAudioFileAC3Type = 'ac-3',
  kAudioFileAAC_ADTSType = 'adts',
  kAudioFileMPEG4Type = 'mp4f',
  kAudioFileM4AType = 'm4af',
  kAudioFileM4BType = 'm4bf',
  kAudioFileCAFType = 'caff',
  kAudioFile3GPType = '3gpp',
  kAudioFile3GP2Type = '3gp2',
  kAudioFileAMRType = 'amrf',
  kAudioFileFLACType = 'flac',
  kAudioFileLATMInLOASType = 'loas',
};

#endif
