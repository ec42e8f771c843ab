/// Where two runs of samples differ first, in words; `nil` where they don't. Saying it by a macro's comparison of long
/// arrays would take minutes.
package func difference(_ found: [Float], _ expected: [Float]) -> String? {
  if let place = zip(found, expected).enumerated().first(where: { $0.element.0 != $0.element.1 }) {
    return "sample \(place.offset) is \(place.element.0) instead of \(place.element.1)"
  }
  return found.count == expected.count ? nil : "\(found.count) samples instead of \(expected.count)"
}
