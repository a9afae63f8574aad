"""One fault each in the sound model, of its results, knee, envelopes and costs: what is replaced, by what, and what is told, to the letter."""

# ruff: noqa: E501  (messages stand on one line, as they are printed)

from __future__ import annotations

FAULTS: dict[str, tuple[str, str, str]] = {
    # Results
    "a limit of two dimensions": (
        'capacity = "1 MiB/s"',
        'capacity = "1 MiB"',
        'model.toml:41: limits.buffer.capacity: "1 MiB" is an amount of data (such as 4 KiB); expected a data rate (such as 17 MB/s) [QN122]',
    ),
    "an output in a wrong unit": (
        'unit = "MiB/s"',
        'unit = "MiB"',
        'model.toml:44: outputs.data_rate.unit: "MiB" is an amount of data (such as 4 KiB); expected a data rate (such as 17 MB/s) [QN122]',
    ),
    "an output called like a parameter": (
        "data_rate = {",
        "rate = {",
        'model.toml:44: outputs.rate: "rate" is a parameter already; expected another name [QN207]',
    ),
    "an output over an unknown route": (
        '"throughput * 4 KiB"',
        "\"throughput('hits') * 4 KiB\"",
        "model.toml:44: outputs.data_rate.value: unknown name \"throughput('hits')\" [QN112]",
    ),
    # Knee
    "a knee along nothing known": (
        "[envelopes.ten_ms]",
        '[knee]\nvary = "rte"\nlimit = "response <= 1 s"\n[envelopes.ten_ms]',
        'model.toml:47: knee.vary: unknown parameter "rte" [QN004]',
    ),
    "a knee with half a limit": (
        "[envelopes.ten_ms]",
        '[knee]\nlimit = ["response <= 1 s", "response"]\n[envelopes.ten_ms]',
        'model.toml:47: knee.limit[1]: in the condition "response": this is not a condition [QN110]',
    ),
    "a knee without a limit": (
        "[envelopes.ten_ms]",
        "[knee]\n[envelopes.ten_ms]",
        'model.toml:46: knee: "limit" is missing; expected the service levels, such as response <= 1 s [QN203]',
    ),
    # Calibration
    "a calibration of nothing known": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rte"]\nstandard_errors = ["1/s"]\n[envelopes.ten_ms]',
        'model.toml:47: calibration.parameters: unknown parameter "rte" [QN004]',
    ),
    "a calibration of a choice": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["mode"]\nstandard_errors = ["1/s"]\n[envelopes.ten_ms]',
        'model.toml:47: calibration.parameters: "mode" is a choice of words; expected a parameter that is a number [QN204]',
    ),
    "a calibration without errors": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = []\n[envelopes.ten_ms]',
        "model.toml:48: calibration.standard_errors: 0 standard errors of 1 parameters; expected one for each parameter [QN204]",
    ),
    "a calibration with an error of another kind": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["1 s"]\n[envelopes.ten_ms]',
        'model.toml:48: calibration.standard_errors[0]: "1 s" is a time (such as 10 ms); expected a rate (such as 600/s) [QN122]',
    ),
    "a calibration with an error below 0": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["-1/s"]\n[envelopes.ten_ms]',
        "model.toml:48: calibration.standard_errors[0]: the standard error of rate is below 0; expected 0 or more [QN211]",
    ),
    "a calibration with errors that are no list": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = "1/s"\n[envelopes.ten_ms]',
        "model.toml:48: calibration.standard_errors: found '1/s'; expected a list: the standard error of each of them, with its unit [QN204]",
    ),
    "a calibration with too many correlations": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["1/s"]\ncorrelations = [0.5]\n[envelopes.ten_ms]',
        "model.toml:49: calibration.correlations: 1 correlations of 1 parameters; expected 0: the first with the second, the first with the third, and so on [QN204]",
    ),
    "a calibration that also leaves what it knows": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["1/s"]\nnot_determined = ["rate"]\n[envelopes.ten_ms]',
        'model.toml:49: calibration.not_determined: "rate" has a standard error; expected one of both [QN204]',
    ),
    "a calibration with a word for freedom": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["1/s"]\ndegrees_of_freedom = "many"\n[envelopes.ten_ms]',
        "model.toml:49: calibration.degrees_of_freedom: found 'many'; expected an integer from 1 to 1e+09 [QN204]",
    ),
    "a calibration with an unknown key": (
        "[envelopes.ten_ms]",
        '[calibration]\nparameters = ["rate"]\nstandard_errors = ["1/s"]\nerrors = 1\n[envelopes.ten_ms]',
        'model.toml:49: calibration.errors: unknown key "errors" [QN202]',
    ),
    # Envelopes
    "an envelope that varies nothing known": (
        'vary = "rate"',
        'vary = "rte"',
        'model.toml:47: envelopes.ten_ms.vary: unknown parameter "rte" [QN004]',
    ),
    "an envelope that varies a choice": (
        'vary = "rate"',
        'vary = "mode"',
        'model.toml:47: envelopes.ten_ms.vary: "mode" is a choice and has no largest value; expected a number to vary [QN004]',
    ),
    "an envelope with half a limit": (
        'limit = "response <= 10 ms"',
        'limit = "response"',
        'model.toml:48: envelopes.ten_ms.limit: in the condition "response": this is not a condition [QN110]',
    ),
    "an envelope over an impossible grid": (
        'over = "hit = 0:1:0.5"',
        'over = ["mode = fast", "hit = 0:1:-1"]',
        'model.toml:49: envelopes.ten_ms.over[1]: in the grid "hit = 0:1:-1": the step does not lead from the first value to the last [QN010]',
    ),
    "an envelope over what it varies": (
        'over = "hit = 0:1:0.5"',
        'over = "rate = 1/s, 2/s"',
        'model.toml:49: envelopes.ten_ms.over: "rate" is both varied and part of the grid; expected another parameter [QN010]',
    ),
    "an envelope over a number": (
        'over = "hit = 0:1:0.5"',
        "over = 5",
        "model.toml:49: envelopes.ten_ms.over: found 5; expected a text or a list of texts: "
        "the grid, such as write_fraction = 0:0.5:0.1, or a list of them [QN204]",
    ),
    "an envelope that sets an unknown parameter": (
        'over = "hit = 0:1:0.5"',
        "set = { hits = 0.5 }",
        'model.toml:49: envelopes.ten_ms.set: unknown parameter "hits" [QN004]',
    ),
    "an envelope that sets a table": (
        'over = "hit = 0:1:0.5"',
        "set = { hit = { value = 0.5 } }",
        "model.toml:49: envelopes.ten_ms.set.hit: found a table; expected a number or an expression in quotes [QN204]",
    ),
    "an envelope of an unknown route": (
        'over = "hit = 0:1:0.5"',
        'route = "hits"',
        'model.toml:49: envelopes.ten_ms.route: unknown route "hits" [QN219]',
    ),
    # Costs
    "a cost of no station": (
        'of = ["server", "path"]\n',
        "",
        'model.toml:51: costs.per_hit: "of" is missing; expected station whose busy server time counts, a list of them, or "all" queues [QN203]',
    ),
    "a cost of an unknown station": (
        'of = ["server", "path"]',
        'of = ["server", "paths"]',
        'model.toml:52: costs.per_hit.of: unknown station "paths" [QN212]',
    ),
    "a cost per something unknown": (
        'per = "hit"',
        'per = "hits"',
        'model.toml:53: costs.per_hit.per: unknown name "hits" [QN112]',
    ),
    "a cost per figure of the system": (
        'per = "hit"',
        'per = "throughput"',
        'model.toml:53: costs.per_hit.per: unknown name "throughput" [QN112]',
    ),
    "a cost in a unit of another dimension": (
        'routes = "hit"',
        'unit = "ms/MB"',
        'model.toml:54: costs.per_hit.unit: "ms/MB" is a time per byte; expected a time (such as 10 ms) [QN122]',
    ),
    "a cost of an unknown route": (
        'routes = "hit"',
        'routes = ["hit", "mess"]',
        'model.toml:54: costs.per_hit.routes: unknown route "mess" [QN245]',
    ),
    "a cost of an unknown class": (
        'routes = "hit"',
        'class = "oi"',
        'model.toml:54: costs.per_hit.class: unknown class "oi" [QN245]',
    ),
    "a cost of work that no step does": (
        'routes = "hit"',
        'work = "paging"',
        'model.toml:54: costs.per_hit.work: unknown work "paging" [QN245]',
    ),
}
