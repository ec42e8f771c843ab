internal import CKissFFT

/// The discrete Fourier transform of real signals of one length, by KissFFT.
///
/// Not for two threads at a time: the plans have scratch memory of their own.
package final class RealFFT: @unchecked Sendable {
  /// Samples of a signal.
  package let length: Int
  /// Bins of a spectrum: ``length`` / 2 + 1, from 0 to half the sample rate.
  package var bins: Int { length / 2 + 1 }
  private let forwardPlan: kiss_fftr_cfg
  private let inversePlan: kiss_fftr_cfg

  /// Makes a transform.
  /// - Parameter length: Samples: even, with no prime factors but 2, 3 and 5, so that transforming allocates nothing.
  package init(length: Int) {
    precondition(length > 0 && length <= 1 << 24 && Self.fastLength(atLeast: length) == length)
    self.length = length
    guard let forward = kiss_fftr_alloc(Int32(length), 0, nil, nil),
      let inverse = kiss_fftr_alloc(Int32(length), 1, nil, nil)
    else { fatalError("no memory for a transform of \(length) samples") }
    forwardPlan = forward
    inversePlan = inverse
  }

  deinit {
    martlet_fft_free(forwardPlan)
    martlet_fft_free(inversePlan)
  }

  /// The next even length with no prime factors but 2, 3 and 5.
  package static func fastLength(atLeast length: Int) -> Int {
    var candidate = max(2, length + length % 2)
    while true {
      var rest = candidate / 2
      for factor in [2, 3, 5] { while rest.isMultiple(of: factor) { rest /= factor } }
      if rest == 1 { return candidate }
      candidate += 2
    }
  }

  // MARK: Real-time

  /// Transforms.
  /// - Parameters:
  ///   - signal: ``length`` samples.
  ///   - spectrum: Room for ``bins`` pairs of real and imaginary part, not scaled.
  @_noLocks @_noAllocation
  package func forward(_ signal: UnsafePointer<Float>, into spectrum: UnsafeMutablePointer<Float>) {
    martlet_fft_forward(forwardPlan, signal, spectrum)
  }

  /// Transforms back. The signal comes out multiplied by ``length``.
  @_noLocks @_noAllocation
  package func inverse(_ spectrum: UnsafePointer<Float>, into signal: UnsafeMutablePointer<Float>) {
    martlet_fft_inverse(inversePlan, spectrum, signal)
  }
}
