"""Under which name the generated environment keeps a quantity."""

import keyword

TAKEN = frozenset(
    "action_space close get_wrapper_attr has_wrapper_attr horizon metadata np_random "
    "np_random_seed observation observation_space quantities render render_mode reset "
    "set_wrapper_attr spec step unwrapped".split()
)


def attribute_name(name: str) -> str:
    """``name``, with an underscore where a Gymnasium environment has that attribute already."""
    return f"{name}_" if name in TAKEN or keyword.iskeyword(name) else name


def attribute(name: str) -> str:
    """The source that reads the quantity ``name`` inside a method of the environment."""
    return f"self.{attribute_name(name)}"
