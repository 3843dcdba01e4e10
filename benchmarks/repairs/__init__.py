"""Whether the messages of the checks help to repair code: the coding rounds alone.

A start is a saved specification whose code bodies are right but for one planted fault, or a saved
specification without any code. From there the coding agent is asked as in a run, for at most five
rounds, once told what the ladder of checks finds and once told only the traceback, if there is
one, of some random episodes.

A repair counts, whatever the agent was told, where at its end

- the ladder finds nothing that blocks, and
- each code body returns what the right one does. Both are asked in situations that random episodes
  meet, with the same seeds. Where the right one draws nothing, all numbers must be equal (to one
  in a million). Where it draws, it may be done in another order, so the distributions are compared
  in each situation and over all of them: each number, and weighted sums of all numbers, which
  depend on how they go together (two-sample tests of Kolmogorov and Smirnov, which all together
  take a right repair for a wrong one less than once in 10,000).

A kind of fault is left out where it does no harm here: code bodies get copies, so that to change
an argument in place changes nothing, and the class around them ends every episode at its horizon.
Faults that no check sees are part of the table and are marked.
"""
