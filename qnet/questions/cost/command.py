"""The command `qnet cost`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("names", argument=True),
        Option("of", "STATION", "Station to account for, or all."),
        Option("per", "EXPRESSION", "Units per passage, such as faults (default: 1).", needs="of"),
        Option("work", "KIND", "With --of: only this kind of work.", needs="of"),
        Option("class_name", "NAME", "With --of: only this class.", words=("--class",), needs="of"),
        Option("route", "NAME", "With --of: only this route.", needs="of"),
        Option("unit", "UNIT", "With --of: unit of the result, such as us.", needs="of"),
        Option("over", "GRID", "Grid of a parameter: device=scsi,eckd.", completes="setting"),
        Option("against", "SYSTEM", "Model to compare with."),
    ),
    excluding=(("names", "of"),),
    text="""\
A cost is a demand divided by units per passage. The demand is the busy server time of one passage at the stations:
all visits and second-phase work included, waiting excluded. A station held while others are used counts their times
too, without the waits for them; the others count theirs as well. Several classes and routes are weighted by
throughput. For a chain, --class names the chain and --route some of its classes: the time that one passage of the
chain spends as those classes. --work selects steps that the model labels, such as work = "paging". By the utilization
law (Denning and Buzen, Computing Surveys 10, 1978) a cost is also busy servers divided by units per second, which
measurements of a running system show: except at a station that is held during waits, whose servers are busy for
longer, and where passages are lost on their way.

NAMES are costs defined in the model under [costs] (default: all). Every cost is split by station, class and route;
the parts add up to the total. --against computes the same cost for another model, or the same one with other
settings; the ratio is first over second. --assert is evaluated on the costs of the first, by name or as cost with
--of, and on its parameters and metrics, at every point of --over.

\b
Examples:
  qnet cost paging-users
  qnet cost paging-users cpu_per_page --over users=200:300:50
  qnet cost paging-users --assert 'cpu_per_page < 1 ms'
  qnet cost ibm-3990-6 --of all --per block --unit ms/MB
  qnet cost ibm-3990-6 --of drive -p staging=record --against ibm-3990-6
  qnet cost --station cpu=120ms --station disk=50ms --arrival-rate 3/s --of cpu
""",
)
