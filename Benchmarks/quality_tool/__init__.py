"""What `Benchmarks/quality` is made of: signals, engines, metrics, and the figures that put them together."""
