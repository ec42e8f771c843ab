/// The devices of a machine at one moment, as its sound server tells of them.
public struct AudioRoutes: Hashable, Sendable {
  /// A device and how it is set.
  public struct Device: Hashable, Sendable {
    /// Which it is.
    public var route: AudioRoute
    /// As the mixer shows it: 0 is silent, 1 is full.
    public var volume: Float
    /// Between the server and the ear or the microphone, in seconds; 0 when it does not say.
    public var latency: Double

    /// Makes a device.
    public init(route: AudioRoute, volume: Float = 1, latency: Double = 0) {
      self.route = route
      self.volume = volume
      self.latency = latency
    }
  }

  /// What can play.
  public var outputs: [Device]
  /// The target of the output that is taken when none is named.
  public var defaultOutput: String?
  /// What can record.
  public var inputs: [Device]
  /// The target of the input that is taken when none is named.
  public var defaultInput: String?

  /// Makes a set of devices.
  public init(
    outputs: [Device] = [], defaultOutput: String? = nil, inputs: [Device] = [], defaultInput: String? = nil
  ) {
    self.outputs = outputs
    self.defaultOutput = defaultOutput
    self.inputs = inputs
    self.defaultInput = defaultInput
  }

  /// The output that is taken when none is named.
  public var output: Device? { outputs.first { $0.route.target == defaultOutput } }
  /// The input that is taken when none is named.
  public var input: Device? { inputs.first { $0.route.target == defaultInput } }
}

/// Keeps an eye on a machine's devices until it is closed.
public protocol RouteWatch: AnyObject, Sendable {
  /// What is known now. Empty while no server answers.
  var routes: AudioRoutes { get }

  /// Ends it: nobody hears of changes any more.
  func close()
}
