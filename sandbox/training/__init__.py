"""Training a policy for any Gymnasium environment, with nothing known of it but its form.

Runs inside the sandbox. A copy of this package, called ``training``, lies beside each ``train.py``
that a run leaves behind, so its modules import nothing else of the project.
"""
