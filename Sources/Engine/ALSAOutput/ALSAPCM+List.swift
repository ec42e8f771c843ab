internal import CALSA
internal import Glibc

extension ALSAPCM {
  /// The PCMs that the library's configuration names.
  /// - Parameter isWanted: Asked with the direction: `Input`, `Output` or, for both, `nil`.
  static func list(where isWanted: (_ direction: String?) -> Bool) -> [(name: String, summary: String)] {
    martlet_alsa_silence()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let first = hints else { return [] }
    defer { snd_device_name_free_hint(hints) }
    func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
      guard let value = snd_device_name_get_hint(hint, key) else { return nil }
      defer { free(value) }
      return String(cString: value)
    }
    var found: [(name: String, summary: String)] = []
    var place = first
    while let hint = place.pointee {
      if let name = text(hint, "NAME"), isWanted(text(hint, "IOID")) {
        let summary = text(hint, "DESC")?.split(separator: "\n").joined(separator: ", ") ?? name
        found.append((name, summary))
      }
      place += 1
    }
    return found
  }
}
