"""Small widgets of our own, each on one subject and light to start."""
