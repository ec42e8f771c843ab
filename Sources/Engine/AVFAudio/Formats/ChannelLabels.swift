internal import AudioModel
internal import CoreAudioTypes

/// The order of the channels in named layouts, and what a label is among the positions of ``AudioModel/ChannelLayout``.
enum ChannelLabels {
  private static let (left, right, centre, low) = (
    kAudioChannelLabel_Left, kAudioChannelLabel_Right, kAudioChannelLabel_Center, kAudioChannelLabel_LFEScreen
  )
  private static let (sideLeft, sideRight, behind) = (
    kAudioChannelLabel_LeftSurround, kAudioChannelLabel_RightSurround, kAudioChannelLabel_CenterSurround
  )
  private static let (innerLeft, innerRight) = (kAudioChannelLabel_LeftCenter, kAudioChannelLabel_RightCenter)
  private static let (rearLeft, rearRight) = (
    kAudioChannelLabel_RearSurroundLeft, kAudioChannelLabel_RearSurroundRight
  )

  private static let table: [AudioChannelLayoutTag: [AudioChannelLabel]] = [
    kAudioChannelLayoutTag_Mono: [kAudioChannelLabel_Mono],
    kAudioChannelLayoutTag_Stereo: [left, right],
    kAudioChannelLayoutTag_StereoHeadphones: [left, right],
    kAudioChannelLayoutTag_Binaural: [left, right],
    kAudioChannelLayoutTag_MatrixStereo: [kAudioChannelLabel_LeftTotal, kAudioChannelLabel_RightTotal],
    kAudioChannelLayoutTag_MidSide: [kAudioChannelLabel_MS_Mid, kAudioChannelLabel_MS_Side],
    kAudioChannelLayoutTag_XY: [kAudioChannelLabel_XY_X, kAudioChannelLabel_XY_Y],
    kAudioChannelLayoutTag_Quadraphonic: [left, right, sideLeft, sideRight],
    kAudioChannelLayoutTag_Pentagonal: [left, right, sideLeft, sideRight, centre],
    kAudioChannelLayoutTag_Hexagonal: [left, right, sideLeft, sideRight, centre, behind],
    kAudioChannelLayoutTag_Octagonal: [
      left, right, sideLeft, sideRight, centre, behind, kAudioChannelLabel_LeftWide, kAudioChannelLabel_RightWide,
    ],
    kAudioChannelLayoutTag_MPEG_3_0_A: [left, right, centre],
    kAudioChannelLayoutTag_MPEG_3_0_B: [centre, left, right],
    kAudioChannelLayoutTag_MPEG_4_0_A: [left, right, centre, behind],
    kAudioChannelLayoutTag_MPEG_4_0_B: [centre, left, right, behind],
    kAudioChannelLayoutTag_MPEG_5_0_A: [left, right, centre, sideLeft, sideRight],
    kAudioChannelLayoutTag_MPEG_5_0_B: [left, right, sideLeft, sideRight, centre],
    kAudioChannelLayoutTag_MPEG_5_0_C: [left, centre, right, sideLeft, sideRight],
    kAudioChannelLayoutTag_MPEG_5_0_D: [centre, left, right, sideLeft, sideRight],
    kAudioChannelLayoutTag_MPEG_5_1_A: [left, right, centre, low, sideLeft, sideRight],
    kAudioChannelLayoutTag_MPEG_5_1_B: [left, right, sideLeft, sideRight, centre, low],
    kAudioChannelLayoutTag_MPEG_5_1_C: [left, centre, right, sideLeft, sideRight, low],
    kAudioChannelLayoutTag_MPEG_5_1_D: [centre, left, right, sideLeft, sideRight, low],
    kAudioChannelLayoutTag_MPEG_6_1_A: [left, right, centre, low, sideLeft, sideRight, behind],
    kAudioChannelLayoutTag_MPEG_7_1_A: [left, right, centre, low, sideLeft, sideRight, innerLeft, innerRight],
    kAudioChannelLayoutTag_MPEG_7_1_B: [centre, innerLeft, innerRight, left, right, sideLeft, sideRight, low],
    kAudioChannelLayoutTag_MPEG_7_1_C: [left, right, centre, low, sideLeft, sideRight, rearLeft, rearRight],
    kAudioChannelLayoutTag_Emagic_Default_7_1: [
      left, right, sideLeft, sideRight, centre, low, innerLeft, innerRight,
    ],
    kAudioChannelLayoutTag_SMPTE_DTV: [
      left, right, centre, low, sideLeft, sideRight, kAudioChannelLabel_LeftTotal, kAudioChannelLabel_RightTotal,
    ],
    kAudioChannelLayoutTag_ITU_2_1: [left, right, behind],
    kAudioChannelLayoutTag_ITU_2_2: [left, right, sideLeft, sideRight],
    kAudioChannelLayoutTag_DVD_4: [left, right, low],
    kAudioChannelLayoutTag_DVD_5: [left, right, low, behind],
    kAudioChannelLayoutTag_DVD_6: [left, right, low, sideLeft, sideRight],
    kAudioChannelLayoutTag_DVD_10: [left, right, centre, low],
    kAudioChannelLayoutTag_DVD_11: [left, right, centre, low, behind],
    kAudioChannelLayoutTag_DVD_18: [left, right, sideLeft, sideRight, low],
    kAudioChannelLayoutTag_AudioUnit_6_0: [left, right, sideLeft, sideRight, centre, behind],
    kAudioChannelLayoutTag_AudioUnit_7_0: [left, right, sideLeft, sideRight, centre, rearLeft, rearRight],
    kAudioChannelLayoutTag_AudioUnit_7_0_Front: [left, right, sideLeft, sideRight, centre, innerLeft, innerRight],
    kAudioChannelLayoutTag_AAC_6_0: [centre, left, right, sideLeft, sideRight, behind],
    kAudioChannelLayoutTag_AAC_6_1: [centre, left, right, sideLeft, sideRight, behind, low],
    kAudioChannelLayoutTag_AAC_7_0: [centre, left, right, sideLeft, sideRight, rearLeft, rearRight],
    kAudioChannelLayoutTag_AAC_7_1_B: [centre, left, right, sideLeft, sideRight, rearLeft, rearRight, low],
    kAudioChannelLayoutTag_AAC_Octagonal: [
      centre, left, right, sideLeft, sideRight, rearLeft, rearRight, behind,
    ],
    kAudioChannelLayoutTag_WAVE_4_0_B: [left, right, rearLeft, rearRight],
    kAudioChannelLayoutTag_WAVE_5_0_B: [left, right, centre, rearLeft, rearRight],
    kAudioChannelLayoutTag_WAVE_5_1_B: [left, right, centre, low, rearLeft, rearRight],
    kAudioChannelLayoutTag_WAVE_6_1: [left, right, centre, low, behind, sideLeft, sideRight],
    kAudioChannelLayoutTag_WAVE_7_1: [left, right, centre, low, rearLeft, rearRight, sideLeft, sideRight],
  ]

  /// What the channels of a tag are for; nil where the tag does not say.
  static func labels(of tag: AudioChannelLayoutTag) -> [AudioChannelLabel]? { table[tag] }

  /// The bit of each channel in ``AudioModel/ChannelLayout/mask``; nil where a channel has none, or two share one.
  static func positions(of labels: [AudioChannelLabel]) -> [Int]? {
    // Surround channels stand at the side where there are rear ones too, and behind otherwise, as the conventional
    // masks of 7.1 and 5.1 have it.
    let hasRear = labels.contains(rearLeft) || labels.contains(rearRight)
    let isWave61 = labels == table[kAudioChannelLayoutTag_WAVE_6_1]
    let bits = labels.compactMap { label -> Int? in
      switch label {
      case kAudioChannelLabel_Mono: 2
      case kAudioChannelLabel_LeftTotal, kAudioChannelLabel_HeadphonesLeft: 0
      case kAudioChannelLabel_RightTotal, kAudioChannelLabel_HeadphonesRight: 1
      case sideLeft where hasRear || isWave61: 9
      case sideRight where hasRear || isWave61: 10
      case rearLeft: 4
      case rearRight: 5
      case 1...18: Int(label) - 1
      default: nil
      }
    }
    return bits.count == labels.count && Set(bits).count == bits.count ? bits : nil
  }

  /// The tag for a mask whose channels stand in the order of its bits; nil where no tag is exactly that.
  static func tag(of layout: ChannelLayout) -> AudioChannelLayoutTag? {
    switch layout.mask {
    case 0x4: kAudioChannelLayoutTag_Mono
    case 0x3: kAudioChannelLayoutTag_Stereo
    case 0x7: kAudioChannelLayoutTag_MPEG_3_0_A
    case 0xB: kAudioChannelLayoutTag_DVD_4
    case 0x103: kAudioChannelLayoutTag_ITU_2_1
    case 0x33: kAudioChannelLayoutTag_Quadraphonic
    case 0xF: kAudioChannelLayoutTag_DVD_10
    case 0x107: kAudioChannelLayoutTag_MPEG_4_0_A
    case 0x37: kAudioChannelLayoutTag_MPEG_5_0_A
    case 0x3F: kAudioChannelLayoutTag_MPEG_5_1_A
    case 0x13F: kAudioChannelLayoutTag_MPEG_6_1_A
    case 0x70F: kAudioChannelLayoutTag_WAVE_6_1
    case 0xFF: kAudioChannelLayoutTag_MPEG_7_1_A
    case 0x63F: kAudioChannelLayoutTag_WAVE_7_1
    default: nil
    }
  }
}
