"""The meaning of every code and the advice for it: the table behind `qnet explain`, in a file for each group of codes.

Begin at `explanation.Explanation`, which is one row; `files` has three families of them. A code never changes its
meaning. A new one takes the next free number of its family: one row in the file that has the family, and none here.
May import no other folder, because messages about errors read it too.
"""

from __future__ import annotations

from qnet.explanations import command_line, files, not_computed, notes
from qnet.explanations.explanation import Explanation

FAMILIES = {
    "QN0": "The command line (exit code 2)",
    "QN1": "Text, units and expressions (3 in a file, 2 on the command line)",
    "QN2": "Models and rows of data (3 in a file, 2 on the command line)",
    "QN3": "The catalog and its studies (3; 2 for an unknown name)",
    "QN4": "No answer exists (4)",
    "QN5": "Not computed (5)",
    "QN6": "Notes on an answer (0; 6 for QN604 and QN608)",
    "QN7": "Notes on an answer, continued (0; 2 for QN755, 3 for QN760, 5 for QN767, 6 for QN757)",
    "QN8": "Files of monitoring tools (3 in a file, 0 for notes)",
}
"""The first digit of a code -> the family and its exit codes."""

EXPLANATIONS: dict[str, Explanation] = {
    **command_line.CODES,
    **files.CODES,
    **not_computed.CODES,
    **notes.CODES,
}
"""Every code that qnet prints."""
