// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Apple's.

// Keys of the dictionaries that describe formats and encoders. Their texts are their names.

/// The coding, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// Frames per second.
public let AVSampleRateKey = "AVSampleRateKey"
/// Number of channels.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// Bits of a linear PCM sample: 8, 16, 24 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// Whether the highest byte of a linear PCM sample comes first.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// Whether linear PCM samples are floating-point numbers.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Whether each channel of linear PCM has a buffer of its own.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"

/// The kind of file, an `AudioFileTypeID`; without it the file's extension decides.
public let AVAudioFileTypeKey = "AVAudioFileTypeKey"

/// Quality of an encoder, an `AVAudioQuality`.
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"
/// Quality of an encoder with a variable bit rate, an `AVAudioQuality`.
public let AVEncoderAudioQualityForVBRKey = "AVEncoderAudioQualityForVBRKey"
/// Bits per second of an encoder.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// Bits per second of an encoder for each channel.
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
/// How an encoder spends its bits, one of `AVAudioBitRateStrategy_…`.
public let AVEncoderBitRateStrategyKey = "AVEncoderBitRateStrategyKey"
/// Bits of the samples that a lossless encoder gets: 8…32.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"

/// Which sample rate converter is used, one of `AVSampleRateConverterAlgorithm_…`.
public let AVSampleRateConverterAlgorithmKey = "AVSampleRateConverterAlgorithmKey"
/// Quality of the sample rate converter, an `AVAudioQuality`.
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterAudioQualityKey"

/// The layout of the channels: the bytes of an `AudioChannelLayout`.
public let AVChannelLayoutKey = "AVChannelLayoutKey"

/// All packets have the same number of bits.
public let AVAudioBitRateStrategy_Constant = "AVAudioBitRateStrategy_Constant"
/// The bit rate is kept over a longer time.
public let AVAudioBitRateStrategy_LongTermAverage = "AVAudioBitRateStrategy_LongTermAverage"
/// The bit rate varies within limits.
public let AVAudioBitRateStrategy_VariableConstrained = "AVAudioBitRateStrategy_VariableConstrained"
/// The bit rate varies, the quality stays.
public let AVAudioBitRateStrategy_Variable = "AVAudioBitRateStrategy_Variable"

/// A linear-phase filter.
public let AVSampleRateConverterAlgorithm_Normal = "AVSampleRateConverterAlgorithm_Normal"
/// A longer linear-phase filter.
public let AVSampleRateConverterAlgorithm_Mastering = "AVSampleRateConverterAlgorithm_Mastering"
/// A filter without ringing ahead of the sound.
public let AVSampleRateConverterAlgorithm_MinimumPhase = "AVSampleRateConverterAlgorithm_MinimumPhase"
