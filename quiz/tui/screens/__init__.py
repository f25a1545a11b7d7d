"""The screens. Each is imported when it is first shown, so that the first one does not pay for the others."""
