"""Numbers that are written as words."""

NUMBER_WORDS: dict[str, float] = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0,
    "eighty": 80.0, "ninety": 90.0, "half": 0.5, "dozen": 12.0, "hundred": 100.0,
    "thousand": 1000.0,
}  # fmt: skip
