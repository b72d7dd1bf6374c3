"""What the benchmarks share: generated projects, runs of motet in places of its own, tables."""
