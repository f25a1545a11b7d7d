"""The commands, one module each. Stdout is data, stderr is narration."""
