"""The gates at which a person approves, edits or sends back a piece of the work."""
