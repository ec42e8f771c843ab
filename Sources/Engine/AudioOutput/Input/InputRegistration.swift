public import AudioModel

/// An input as the registry knows it: one line of the table that inputs are chosen from.
public struct InputRegistration: Sendable {
  /// Its name in a selection: `pulse`, `alsa`.
  public var name: String
  /// What it is, for people.
  public var summary: String
  /// `auto` tries it.
  public var isAutomatic: Bool
  /// Makes an input; `target` is what follows the colon (`pulse:SOURCE`).
  public var make: @Sendable (_ target: String?) throws(AudioError) -> any InputDevice
  /// The devices it finds, quickly; empty where none is there or the question has no meaning.
  public var devices: @Sendable () -> [InputDescription]

  /// Makes a registration.
  public init(
    name: String, summary: String, isAutomatic: Bool = false,
    make: @escaping @Sendable (_ target: String?) throws(AudioError) -> any InputDevice,
    devices: @escaping @Sendable () -> [InputDescription] = { [] }
  ) {
    self.name = name
    self.summary = summary
    self.isAutomatic = isAutomatic
    self.make = make
    self.devices = devices
  }
}

/// A device that an input found.
public struct InputDescription: Hashable, Sendable {
  /// Where the sound would come from; its target is what to write behind the colon.
  public var route: AudioRoute
  /// The one that is taken when none is named.
  public var isDefault: Bool

  /// Makes a description.
  public init(route: AudioRoute, isDefault: Bool) {
    self.route = route
    self.isDefault = isDefault
  }
}
