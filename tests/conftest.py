"""What holds for all tests."""

import signal

from hypothesis import settings

# How long an example takes says more about the machine than about what is tested.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Begun in a shell's background, where it is ignored, programs under test would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
