// Names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Key of ``AVAudioSession/interruptionNotification``: the ``AVAudioSession/InterruptionType`` as a `UInt`.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// Key of ``AVAudioSession/interruptionNotification`` that ends one: ``AVAudioSession/InterruptionOptions`` as a `UInt`.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// Key of ``AVAudioSession/interruptionNotification`` that begins one: the ``AVAudioSession/InterruptionReason`` as a
/// `UInt`.
public let AVAudioSessionInterruptionReasonKey = "AVAudioSessionInterruptionReasonKey"
/// Key of ``AVAudioSession/routeChangeNotification``: the ``AVAudioSession/RouteChangeReason`` as a `UInt`.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// Key of ``AVAudioSession/routeChangeNotification``: the ``AVAudioSessionRouteDescription`` from before.
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
