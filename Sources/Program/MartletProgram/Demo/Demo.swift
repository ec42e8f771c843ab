internal import Martlet

/// `demo`: a sound of our own, so that a new installation can be heard at once.
enum Demo {
  /// The piece. It goes the whole way that a file would go.
  static var item: PlayerItem { PlayerItem(name: "Martlet demo") { _ in DemoSource() } }
}
