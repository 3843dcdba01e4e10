"""What holds for all tests."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Begun in a shell's background, where it is ignored, programs under test would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
