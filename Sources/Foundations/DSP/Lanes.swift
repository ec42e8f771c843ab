// Eight samples at a time. The scalar tails of the kernels do the same operations in the same order, so that a result
// never depends on how a signal is cut into blocks.
typealias Lanes = SIMD8<Float>

@inline(__always) @_noLocks @_noAllocation
func load(_ source: UnsafePointer<Float>) -> Lanes { UnsafeRawPointer(source).loadUnaligned(as: Lanes.self) }

@inline(__always) @_noLocks @_noAllocation
func store(_ lanes: Lanes, to target: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(target).storeBytes(of: lanes, as: Lanes.self)
}
