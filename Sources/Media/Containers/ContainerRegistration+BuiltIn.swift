extension ContainerRegistration {
  /// The formats that Martlet reads itself. One line here is all that a new one takes.
  public static let builtIn: [ContainerRegistration] = [
    ContainerRegistration(
      name: "wav", extensions: ["wav", "wave", "bwf", "rf64", "w64"],
      mediaTypes: ["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wave"],
      probe: { WAVParser.probe($0, start: $1) },
      makeParser: { WAVParser(start: $0, leading: $1) })
  ]
}
