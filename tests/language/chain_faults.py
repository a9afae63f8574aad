"""One fault each in a sound model with chains: what is replaced, by what, and what is told, to the letter."""

# ruff: noqa: E501  (messages stand on one line, as they are printed)

from __future__ import annotations

SOUND = """\
qnet = 1
title = "A shop and its parcels"

[parameters]
buy = { value = 0.2, range = [0, 1] }
rate = "2/s"

[stations]
web = { discipline = "ps" }
disk = { discipline = "ps" }
post = { delay = true }

[classes.report]
arrival_rate = "1/s"
steps = [ { station = "disk", time = "5 ms" } ]

[chains.session]
population = 20
think_time = "5 s"

[chains.session.classes]
looking = { service = { web = "10 ms", disk = "20 ms" } }
paying = { service = { web = { time = "30 ms", scv = 2 }, think = "20 s" } }

[chains.session.routing]
think = { looking.web = "1 - buy", paying.web = "buy" }
looking.web = { looking.disk = 0.5, think = 0.5 }
looking.disk = { looking.web = 1 }
paying.web = { paying.think = 0.25, think = 0.75 }
paying.think = { paying.web = 1 }

[chains.parcel]
arrival_rate = "rate"
classes = { new = { service = { post = "1 h" } }, lost = { service = { post = "24 h" } } }

[chains.parcel.routing]
outside = { new.post = 1 }
new.post = { lost.post = 0.01, outside = 0.99 }
lost.post = { outside = 1 }
"""

FAULTS: dict[str, tuple[str, str, str]] = {
    # Tables
    "classes that are no table": (
        "[chains.session.classes]\n",
        "[[chains.session.classes]]\n",
        "model.toml:21: chains.session.classes: found a list; expected a table [chains.NAME.classes] [QN201]",
    ),
    "an unknown key": (
        "think_time =",
        "thinktime =",
        'model.toml:19: chains.session.thinktime: unknown key "thinktime" [QN202]',
    ),
    "no routing": (
        SOUND[SOUND.index("[chains.parcel.routing]") :],
        "",
        'model.toml:32: chains.parcel: "routing" is missing; expected from each CLASS.STATION, and from think or outside, the probabilities of the next state [QN203]',
    ),
    "an empty routing": (
        SOUND[SOUND.index("outside = { new") :],
        "",
        "model.toml:36: chains.parcel.routing: there are no entries; expected at least one [QN203]",
    ),
    "a row without ways": (
        "looking.disk = { looking.web = 1 }",
        "looking.disk = {}",
        "model.toml:28: chains.session.routing.looking.disk: there are no entries; expected at least one [QN203]",
    ),
    "a row that is a number": (
        "looking.disk = { looking.web = 1 }",
        "looking.disk = 1",
        "model.toml:28: chains.session.routing.looking.disk: found 1; expected probabilities of the next state [QN201]",
    ),
    "a way to a class without a station": (
        "looking.disk = { looking.web = 1 }",
        "looking.disk = { looking = 1 }",
        "model.toml:28: chains.session.routing.looking.disk.looking: found 1; expected looking.STATION [QN201]",
    ),
    "a class without service": (
        'paying = { service = { web = { time = "30 ms", scv = 2 }, think = "20 s" } }',
        'paying = { note = "how long?" }',
        'model.toml:23: chains.session.classes.paying: "service" is missing; expected service time of each visit by station; under think, its think time [QN203]',
    ),
    "a service without time": (
        'time = "30 ms", scv = 2',
        "scv = 2",
        'model.toml:23: chains.session.classes.paying.service.web: "time" is missing; expected service time of a visit [QN203]',
    ),
    "a class with the name of a place": (
        "{ new =",
        '{ outside = { service = { post = "1 s" } }, new =',
        'model.toml:34: chains.parcel.classes.outside: "outside" is a reserved word of routings; expected another name [QN207]',
    ),
    # Values
    "a service in bytes": (
        'disk = "20 ms"',
        'disk = "20 KiB"',
        'model.toml:22: chains.session.classes.looking.service.disk: "20 KiB" is an amount of data (such as 4 KiB); expected a time (such as 10 ms) [QN122]',
    ),
    "a service in a table in bytes": (
        'time = "30 ms"',
        'time = "30 B"',
        'model.toml:23: chains.session.classes.paying.service.web.time: "30 B" is an amount of data (such as 4 KiB); expected a time (such as 10 ms) [QN122]',
    ),
    "a variability in seconds": (
        "scv = 2",
        'scv = "2 s"',
        'model.toml:23: chains.session.classes.paying.service.web.scv: "2 s" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "a probability in seconds": (
        "looking.disk = 0.5",
        'looking.disk = "0.5 s"',
        'model.toml:27: chains.session.routing.looking.web.looking.disk: "0.5 s" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "a probability of an unknown name": (
        'paying.web = "buy"',
        'paying.web = "bye"',
        'model.toml:26: chains.session.routing.think.paying.web: unknown name "bye" [QN112]',
    ),
    "a probability that is a list": (
        'paying.web = "buy"',
        "paying.web = [0.2]",
        "model.toml:26: chains.session.routing.think.paying.web: found a list; expected a number or an expression in quotes [QN204]",
    ),
    "a population in seconds": (
        "population = 20",
        'population = "20 s"',
        'model.toml:18: chains.session.population: "20 s" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    # Open or closed
    "neither open nor closed": (
        'arrival_rate = "rate"\n',
        "",
        "model.toml:32: chains.parcel: found neither arrival_rate nor population; expected arrival_rate (an open chain) or population (a closed one) [QN214]",
    ),
    "both open and closed": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\npopulation = 3\n',
        "model.toml:32: chains.parcel: found both arrival_rate and population; expected arrival_rate (an open chain) or population (a closed one) [QN214]",
    ),
    "a think time in an open chain": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\nthink_time = "1 s"\n',
        "model.toml:34: chains.parcel.think_time: think_time is used in a chain without population; expected think_time with population [QN214]",
    ),
    # Names
    "an unknown station": (
        'service = { post = "1 h" }',
        'service = { post = "1 h", pst = "1 h" }',
        'model.toml:34: chains.parcel.classes.new.service.pst: unknown station "pst" [QN212]',
    ),
    "an unknown class": (
        "lost.post = 0.01",
        "lots.post = 0.01",
        'model.toml:38: chains.parcel.routing.new.post.lots: the chain has no class "lots"; expected one of new, lost, outside [QN233]',
    ),
    "a station that the class does not come to": (
        "paying.web = { paying.think = 0.25,",
        "paying.web = { paying.disk = 0.25,",
        'model.toml:29: chains.session.routing.paying.web.paying.disk: class "paying" has no service time at "disk"; expected one of its stations: web, think [QN233]',
    ),
    "a row of a station that the class does not come to": (
        "lost.post = { outside = 1 }",
        "lost.post = { outside = 1 }\nlost.web = { outside = 1 }",
        'model.toml:40: chains.parcel.routing.lost.web: class "lost" has no service time at "web"; expected one of its stations: post [QN233]',
    ),
    "a way outside of a closed chain": (
        "think = 0.75",
        "outside = 0.75",
        'model.toml:29: chains.session.routing.paying.web.outside: found "outside" in a closed chain; expected "think" [QN233]',
    ),
    "a way to think in an open chain": (
        "lost.post = { outside = 1 }",
        "lost.post = { think = 1 }",
        'model.toml:39: chains.parcel.routing.lost.post.think: found "think" in an open chain; expected "outside" [QN233]',
    ),
    "thinking as a class of an open chain": (
        'lost = { service = { post = "24 h" } }',
        'lost = { service = { post = "24 h", think = "1 h" } }',
        'model.toml:34: chains.parcel.classes.lost.service.think: found "think" in an open chain; expected a station with delay = true [QN233]',
    ),
    "a station called think": (
        "post = { delay = true }",
        "post = { delay = true }\nthink = {}",
        'model.toml:24: chains.session.classes.paying.service.think: "think" means thinking in a closed chain, and is also a station; expected another name of the station [QN207]',
    ),
    "a class of two chains": (
        SOUND[SOUND.index("classes = { new") :],
        'classes = { looking = { service = { post = "1 h" } } }\nrouting = { outside = { looking.post = 1 }, looking.post = { outside = 1 } }\n',
        'model.toml:34: chains.parcel.classes.looking: "looking" is a class of chain "session" already; expected a distinct name: a class belongs to one chain, or has routes [QN232]',
    ),
    "a class of a chain with routes of its own": (
        "[classes.report]",
        "[classes.looking]",
        'model.toml:22: chains.session.classes.looking: "looking" is a class with routes already; expected a distinct name: a class belongs to one chain, or has routes [QN232]',
    ),
    "a chain called like a class": (
        "[classes.report]",
        "[classes.parcel]",
        'model.toml:32: chains.parcel: "parcel" is a class with routes already; expected a distinct name: a class belongs to one chain, or has routes [QN232]',
    ),
    # Ways
    "a state that nothing comes after": (
        "looking.disk = { looking.web = 1 }\n",
        "",
        "model.toml:25: chains.session.routing: there is no row for customers leaving looking.disk; expected a row looking.disk = { ... } [QN234]",
    ),
    "thinking that nothing comes after": (
        'think = { looking.web = "1 - buy", paying.web = "buy" }\n',
        "",
        "model.toml:25: chains.session.routing: there is no row for customers leaving think; expected a row think = { ... } [QN234]",
    ),
    "a state that no route leads to": (
        "lost.post = 0.01, outside = 0.99",
        "outside = 1",
        "model.toml:39: chains.parcel.routing.lost.post: no route leads to lost.post; expected a route to it with a positive probability [QN234]",
    ),
    "arrivals from nowhere": (
        "outside = { new.post = 1 }\n",
        "",
        "model.toml:36: chains.parcel.routing: there is no row for customers leaving outside; expected a row outside = { ... } [QN234]",
    ),
    "customers who never leave": (
        "lost.post = { outside = 1 }",
        "lost.post = { lost.post = 1 }",
        "model.toml:39: chains.parcel.routing.lost.post: customers in lost.post never leave; expected a route outside with a positive probability [QN231]",
    ),
    "customers who never think again": (
        "paying.web = { paying.think = 0.25, think = 0.75 }",
        "paying.web = { paying.think = 1 }",
        "model.toml:29: chains.session.routing.paying.web: customers in paying.web, paying.think never come back to think; expected a route with a positive probability [QN231]",
    ),
    # Passages
    "a reference that the chain never comes to": (
        "population = 20",
        'population = 20\nreference = "post"',
        'model.toml:19: chains.session.reference: no class of the chain has a service time at "post"; expected one of web, disk, think [QN235]',
    ),
    "a reference of an open chain": (
        'arrival_rate = "rate"',
        'arrival_rate = "rate"\nreference = "post"',
        "model.toml:34: chains.parcel.reference: reference is given in an open chain; expected none: its passages are its arrivals [QN235]",
    ),
}

WITHOUT_THINKING = """\
qnet = 1
title = "A batch"
stations = { cpu = { discipline = "ps" } }

[chains.job]
population = 5
reference = "cpu"
classes = { a = { service = { cpu = "1 s" } } }
routing = { a.cpu = { a.cpu = 1 } }
"""

FAULTS_WITHOUT_THINKING: dict[str, tuple[str, str, str]] = {
    "nothing to count passages by": (
        'reference = "cpu"\n',
        "",
        "model.toml:5: chains.job: the reference is missing: customers do not think; expected a reference station, or think in the routing [QN235]",
    ),
    "thinking as the reference of those who do not think": (
        '"cpu"\n',
        '"think"\n',
        "model.toml:7: chains.job.reference: the reference is missing: customers do not think; expected a reference station, or think in the routing [QN235]",
    ),
    "a think time of nobody": (
        'reference = "cpu"\n',
        'reference = "cpu"\nthink_time = "1 s"\n',
        "model.toml:8: chains.job.think_time: the think time is unused: no route leads to think; expected think in the routing [QN235]",
    ),
    "no classes at all": (
        WITHOUT_THINKING[WITHOUT_THINKING.index("[chains.job]") :],
        "[chains]\n",
        "model.toml:5: chains: there are no chains; expected at least one [QN203]",
    ),
    "neither classes nor chains": (
        WITHOUT_THINKING[WITHOUT_THINKING.index("[chains.job]") :],
        "",
        "model.toml: there are no classes; expected [classes.NAME], or [chains.NAME] [QN203]",
    ),
}
