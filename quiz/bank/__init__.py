"""The bank: YAML in, validated and rendered questions out."""
