"""What runs in the drill's own processes. The only place that imports torch."""
