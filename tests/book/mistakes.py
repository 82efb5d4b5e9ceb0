"""Chapters with one mistake each, the line of it, and the warning that must say so; ``…`` stands for the rest of it."""

CASE = "```{case} one\nmodel=llama-3.1-70b device=h100-sxm devices=8 batch=1 context=2048\n```\n\n"
PLOT = """\
```{plot} fig-p
title: Step time
caption: Step time over batch.
x: {symbol: batch, from: 1, to: 64}
y: {label: ms}
series:
- {label: a, y: decode-step-bound @one in ms}
```"""
MEMORY = """\
```{diagram} memory fig-m
title: Memory
caption: What fits.
bars:
- label: one
  capacity: 80
  parts:
  - {label: weights, size: 70}
```"""
LEDGER = """\
```{ledger} One step
- what: weights
  bytes: '"70 GB"'
  times: 1
  path: HBM
  bandwidth: h100-sxm memory_bandwidth
  waits: all
```"""


def plot(old: str, new: str) -> str:
    assert old in PLOT
    return CASE + PLOT.replace(old, new)


def mem(old: str, new: str) -> str:
    assert old in MEMORY
    return MEMORY.replace(old, new)


def d(kind: str, argument: str = "", body: str = "", **options: str) -> str:
    """A directive."""
    lines = [f"```{{{kind}}} {argument}", *(f":{name}: {value}" for name, value in options.items()), *([body] if body else []), "```"]
    return "\n".join(lines)


MISTAKES = [
    ("{value}`kv-byte @one`", 1, "value: unknown formula or catalogue entry 'kv-byte'; near: kv-bytes, …"),
    (
        "Some text\non three lines, of which\nthe last has {value}`kv-bytes @one`.",
        3, "value: unknown case 'one'; known: none",
    ),
    ("- a\n- b\n\n- c {value}`kv-bytes @one`", 4, "value: unknown case 'one'; known: none"),
    ("> Quoted\n> and {value}`kv-bytes @one`", 2, "value: unknown case 'one'; known: none"),
    ("- a\n- b\n  goes on {value}`kv-bytes @one`", 3, "value: unknown case 'one'; known: none"),
    ("| a | b |\n|---|---|\n| 1 | {value}`kv-bytes @one` |", 3, "value: unknown case 'one'; known: none"),
    ("## Of {value}`kv-bytes @one`", 1, "value: unknown case 'one'; known: none"),
    (":::{note}\nSome\ntext {value}`kv-bytes @one`\n:::", 3, "value: unknown case 'one'; known: none"),
    (
        "{value}`weight-bytes model=llama-3.1-70`",
        1, "value: unknown model 'llama-3.1-70'; near: llama-3.1-70b, …",
    ),
    (
        "{value}`decode-step-bound device=h100-sx`",
        1, "value: unknown device 'h100-sx'; near: h100-sxm, …",
    ),
    ("{value}`weight-bytes n_parm=3`", 1, "value: unknown input 'n_parm'; near: n_param, …"),
    ("{value}`weight-bytes n_param=3`", 1, "value: weight-bytes needs b_w (bytes of one stored weight, in B)"),
    (
        "{value}`weight-bytes n_param=3 b_w=\"2 s\"`",
        1, "value: b_w = 2 s: unit must be B, not s (bytes of one stored weight)",
    ),
    ("{value}`weight-bytes n_param=3 b_w=2 in ms`", 1, "value: 'ms' does not measure what this is: B"),
    ("{value}`weight-bytes n_param=3 b_w=2 in GBs`", 1, "value: unknown unit 'GBs' in 'GBs'; near: GB, …"),
    (
        "{value}`weight-bytes n_param=3 b_w=2 in Gb`",
        1, "value: unit 'Gb': 'Gb' is read in two ways; write Gbit or GB (with /s for a rate)",
    ),
    (
        "{value}`weight-bytes n_param=3 b_w=2 as .3q`",
        1, "value: 'weight-bytes n_param=3 b_w=2 as .3q': '.3q' is not a number format, such as .3g or ,.0f",
    ),
    ("{value}`weight-bytes n_param=3 b_w=2 as d in`", 1, "value: 'as': expected NAME=VALUE, @CASE, or 'in UNIT' at the end"),
    (
        "{value}`weight-bytes n_param=three b_w=2`",
        1, "value: n_param = 'three': must be a whole number above zero, not text (parameters, all of them)",
    ),
    (
        "{value}`weight-bytes n_param=2.5 b_w=2`",
        1, "value: n_param = 2.5: must be a whole number above zero (parameters, all of them)",
    ),
    (
        "{value}`weight-bytes n_param=0 b_w=2`",
        1, "value: n_param = 0: must be a whole number above zero (parameters, all of them)",
    ),
    (
        "{value}`weight-bytes n_param=-3 b_w=2`",
        1, "value: n_param = -3: must be a whole number above zero (parameters, all of them)",
    ),
    (
        "{value}`weight-bytes n_param=nan b_w=2`",
        1, "value: n_param = 'nan': must be a whole number above zero, not text (parameters, all of them)",
    ),
    ("{value}`weight-bytes n_param=3 b_w=2 batch=3`", 1, "value: weight-bytes does not use batch; it uses b_w, n_param"),
    ("{value}`weight-bytes n_param=3 n_param=4 b_w=2`", 1, "value: 'n_param=4': n_param is given twice"),
    ("{value}`weight-bytes n_param=3 weights=fp8 b_w=2`", 1, "value: 'b_w=2': b_w is given twice"),
    ("{value}`weight-bytes n_param=3 weights=fp9`", 1, "value: weights: unknown format 'fp9'; near: fp8, …"),
    (
        "{value}`amdahl-limit part=1`",
        1,
        "value: amdahl-limit holds only for part < 1 (as for the speedup, with a share below one); here part = 1",
    ),
    ("{value}`weight-bytes n_param`", 1, "value: 'n_param': expected NAME=VALUE, @CASE, or 'in UNIT' at the end"),
    ("{value}`weight-bytes \"n_param=3`", 1, 'value: \'weight-bytes "n_param=3\': No closing quotation'),
    ("{value}`weight-bytes n_param=3 b_w=2 /`", 1, "value: 'weight-bytes n_param=3 b_w=2 /': a term is missing beside /"),
    ("{value}`weight-bytes n_param=3 b_w=2 + \"3 s\"`", 1, "value: cannot add B and s"),
    ("{value}`\"3 s\" / 0`", 1, "value: cannot divide 3 s by zero"),
    ("{value}`h100-sxm`", 1, "value: h100-sxm: which field of it? such as 'h100-sxm year'"),
    ("{value}`h100-sxm memory`", 1, "value: unknown field of h100-sxm 'memory'; near: memory_bandwidth"),
    ("{value}`h100-sxm peak`", 1, "value: h100-sxm peak: of which format? such as 'h100-sxm peak bf16'"),
    (
        "{value}`h100-sxm peak fp4`",
        1, "value: h100-sxm has no published peak dense fp4; it has bf16, bf16 sparse, fp16, fp16 sparse, …",
    ),
    (
        "{value}`h100-sxm peak bf16 sprase`",
        1, "value: 'h100-sxm peak bf16 sprase': nothing can follow h100-sxm peak, but 'sprase' does",
    ),
    ("{value}`h100-sxm power now`", 1, "value: 'h100-sxm power now': nothing can follow h100-sxm power, but 'now' does"),
    (
        "{value}`llama-3.1-70b dtype`",
        1, "value: unknown field of llama-3.1-70b 'dtype'; known: …",
    ),
    (
        "{value}`gptfast-llama2-7b-tp1-bf17`",
        1, "value: unknown formula or catalogue entry 'gptfast-llama2-7b-tp1-bf17'; near: …",
    ),
    (
        "{value}`gptfast-llama2-7b-tp1-bf16 bach`",
        1, "value: unknown field of gptfast-llama2-7b-tp1-bf16 'bach'; near: batch",
    ),
    ("{value}`kv-bytes solve`", 1, "value: kv-bytes: 'solve' needs the symbol to solve for"),
    (
        "{value}`kv-bytes solve contxt kv_bytes=\"1 GB\"`",
        1, "value: unknown symbol 'contxt'; near: context, …",
    ),
    (
        "{value}`kv-bytes solve context model=llama-3.1-70b batch=1`",
        1, "value: kv-bytes needs the value of kv_bytes to be reached, such as kv_bytes=…",
    ),
    (
        "{value}`kv-bytes solve context context=3 kv_bytes=\"1 GB\"`",
        1, "value: context is what is solved for, so it cannot be given",
    ),
    (
        "{value}`kv-bytes solve context model=llama-3.1-70b batch=1 kv_bytes=\"1 GB\" devices=2`",
        1, "value: kv-bytes does not use devices; it uses batch, context",
    ),
    ("{value}`kv-bytes = weight-bytes`", 1, "value: 'kv-bytes = weight-bytes': expected KEY = KEY over SYMBOL and inputs"),
    (
        "{value}`kv-bytes = memory-time over batch`",
        1, "value: kv-bytes needs context (tokens of context held per request, averaged over the batch); …",
    ),
    (
        d("case", "one", "model=llama-3.1-7b\n").replace("\n\n", "\n") + "\n\n{value}`weight-bytes @one`",
        5, "value: unknown model 'llama-3.1-7b'; near: llama-3.1-70b, …",
    ),
    (d("case", "one", "batch=1") + "\n\n" + d("case", "one", "batch=2"), 5, "case: case 'one' is declared twice"),
    (d("case", "one", "bath=1"), 1, "case: unknown input 'bath'; near: batch, …"),
    (d("case", "one", "batch 1"), 1, "case: 'batch': expected NAME=VALUE, @CASE, or 'in UNIT' at the end"),
    (d("case", "one", "@two"), 1, "case: unknown case 'two'; known: none"),
    (d("case", "", "batch=1"), 1, "Directive 'case': 1 argument(s) required, 0 supplied"),
    (d("case", "one", "batch=1 batch=2"), 1, "case: 'batch=2': batch is given twice"),
    (
        d("formula", "kv-byte"),
        1, "formula: unknown formula 'kv-byte'; near: kv-bytes, …",
    ),
    (d("formula", ""), 1, "Directive 'formula': 1 argument(s) required, 0 supplied"),
    (
        d("derivation", "kv-byte"),
        1, "derivation: unknown formula 'kv-byte'; near: kv-bytes, …",
    ),
    (d("worked", "kv-byte"), 1, "worked: unknown formula or catalogue entry 'kv-byte'; near: kv-bytes, …"),
    (
        d("worked", "weight-bytes model=llama-3.1-70b / 2"),
        1, "worked: 'weight-bytes model=llama-3.1-70b / 2': a worked example takes one formula; use {value} …",
    ),
    (d("worked", "weight-bytes n_param=3"), 1, "worked: weight-bytes needs b_w (bytes of one stored weight, in B)"),
    (
        d("worked", "weight-bytes model=llama-3.1-70b", "A body\nwith {value}`x`.", title="T"),
        4, "value: unknown formula or catalogue entry 'x'; known: …",
    ),
    (
        CASE + d("worked", "weight-bytes @one", title="T {value}`x`"),
        6, "value: unknown formula or catalogue entry 'x'; known: …",
    ),
    (
        CASE + d("worked", "weight-bytes @one", name="a") + "\n\n" + d("worked", "kv-bytes-per-token @one", name="a"),
        9, "worked: 'a' is declared twice, first as example in {page}",
    ),
    (CASE + d("flip", "weight-bytes @one"), 5, "flip: 'weight-bytes @one': expected KEY = KEY over SYMBOL and inputs"),
    (
        CASE + d("flip", "weight-bytes = kv-bytes over"),
        5, "flip: 'weight-bytes = kv-bytes over': expected KEY = KEY over SYMBOL and inputs",
    ),
    (
        CASE + d("flip", "weight-bytes = kv-bytes over bath @one"),
        5, "flip: unknown symbol 'bath'; near: batch, …",
    ),
    (
        CASE + d("flip", "weight-bytes = kv-bytes over batch @one power=\"3 W\""),
        5, "flip: weight-bytes = kv-bytes does not use power; it uses batch, context",
    ),
    (
        CASE + d("flip", "weight-bytes = kv-bytes over batch @one batch=3"),
        5, "flip: batch is what is solved for, so it cannot be given",
    ),
    (
        CASE + d("flip", "weight-bytes = memory-time over batch @one"),
        5, "flip: weight-bytes is in B and memory-time in s; they never meet",
    ),
    (
        CASE + d("flip", "weight-bytes = kv-bytes over power @one"),
        5, "flip: neither weight-bytes nor kv-bytes depends on power",
    ),
    (
        CASE + d("flip", "memory-time = compute-time over batch @one context=60000"),
        5, "flip: no batch makes memory-time and compute-time equal",
    ),
    (CASE + d("flip", "kv-bytes = kv-bytes over batch @one"), 5, "flip: kv-bytes and kv-bytes are equal for every batch"),
    (plot("title: Step time\n", ""), 5, "plot: the field 'title' of plot is missing"),
    (plot("title: Step time", "tilte: a"), 5, "plot: unknown field of plot 'tilte'; near: title, …"),
    (
        plot("title: Step time", "title: [a"),
        5, 'plot: the body is not YAML: while parsing a flow sequence in "<unicode string>", line 1, column …',
    ),
    (plot("title: Step time", "title: {a: b}"), 5, "plot: expected text, not {'a': 'b'}"),
    (plot("title: Step time", "title:"), 5, "plot: the field 'title' of plot is empty"),
    (CASE + d("plot", "fig-p"), 5, "plot: the field 'title' of plot is missing"),
    (CASE + d("plot", "fig-p", "- a"), 5, "plot: expected lines 'field: value' for plot, not ['a']"),
    (plot("symbol: batch", "symbol: bach"), 5, "plot: unknown symbol 'bach'; near: batch, …"),
    (plot("symbol: batch, ", ""), 5, "plot: the field 'symbol' of x is missing"),
    (plot("to: 64", "to: 1"), 5, "plot: x from 1 to 1: the range must rise"),
    (plot("from: 1, to: 64", "from: 0, to: 64, log: true"), 5, "plot: x from 0 to 64: the range must rise, from above zero"),
    (plot("to: 64", "to: .inf"), 5, "plot: x from 1 to inf: the range must rise"),
    (plot("to: 64", "to: .nan"), 5, "plot: x from 1 to nan: the range must rise"),
    (plot("to: 64", "to: 64, points: 1"), 5, "plot: x, points = 1: a curve takes two or more"),
    (plot("to: 64", "to: 64, points: 1000000000"), 5, "plot: x, points = 1000000000: must be a whole number from 1 to 10000"),
    (plot("to: 64", "to: 64, pints: 3"), 5, "plot: unknown field of x 'pints'; near: points, …"),
    (plot("x: {symbol: batch, from: 1, to: 64}", "x: batch"), 5, "plot: expected lines 'field: value' for x, not 'batch'"),
    (plot("y: {label: ms}", "y: {}"), 5, "plot: the field 'label' of y is missing"),
    (
        plot("series:\n- {label: a, y: decode-step-bound @one in ms}", "series: 5"),
        5, "plot: expected a list for series, one '- …' per row, not 5",
    ),
    (
        plot("- {label: a, y: decode-step-bound @one in ms}", "- a"),
        5, "plot: expected lines 'field: value' for series, not 'a'",
    ),
    (plot("- {label: a, y: decode-step-bound @one in ms}", ""), 5, "plot: the field 'series' of plot is empty"),
    (plot("@one", "@two"), 5, "plot: unknown case 'two'; known: one"),
    (plot("in ms", "in GB"), 5, "plot: 'GB' does not measure what this is: s"),
    (
        plot("label: a", "label: '{{ kv-byte }}'"),
        5, "plot: unknown formula or catalogue entry 'kv-byte'; near: kv-bytes, …",
    ),
    (
        plot("label: a", "label: a, role: nope"),
        5, "plot: series 'a': role: 'nope' is not known; must be one of weights, memory, kv, activations, …",
    ),
    (
        plot("label: a", "label: a, dash: nope"),
        5, "plot: series 'a': dash: 'nope' is not allowed; must be a whole number of at least 0 and at most 5",
    ),
    (plot("label: a", "label: a, colour: red"), 5, "plot: unknown field of series 'colour'; known: …"),
    (plot("series:", "marks: [{x: 3}]\nseries:"), 5, "plot: the field 'text' of mark is missing"),
    (plot("series:", "marks: [{x: 3, text: a, z: 1}]\nseries:"), 5, "plot: unknown field of mark 'z'; known: …"),
    (plot("series:", "marks: [{text: a}]\nseries:"), 5, "plot: mark 'a': neither x nor y is given; must have at least one"),
    (plot("series:", "points: [{x: 3, text: a}]\nseries:"), 5, "plot: the field 'y' of point is missing"),
    (
        plot("series:", "bands: [{from: 3, to: 1, text: a}]\nseries:"),
        5, "plot: band 'a': end: 1 is not allowed; must be above the start, 3",
    ),
    (
        plot("series:", "bands: [{from: 1, to: 3, text: a, axis: z}]\nseries:"),
        5, "plot: band 'a': axis: 'z' is not known; must be one of x, y",
    ),
    (plot("series:", "x_range: 3\nseries:"), 5, "plot: expected a list for x_range, one '- …' per row, not 3"),
    (plot("series:", "x_range: [3]\nseries:"), 5, "plot: x_range = [3]: must be two numbers"),
    (plot("series:", "x_range: [9, 3]\nseries:"), 5, "plot: x_range: 3 is not allowed; the end must be above the start, 9"),
    (plot("series:", "y_range: [zz, b]\nseries:"), 5, "plot: unknown formula or catalogue entry 'zz'; known: …"),
    (
        plot("batch, from: 1, to: 64", "part, from: 2, to: 3").replace("decode-step-bound @one in ms", "amdahl-limit"),
        5, "plot: series 'a': its formula holds at fewer than two points of the range",
    ),
    (
        plot("caption: Step time over batch.", "caption: Over {value}`x`."),
        7, "value: unknown formula or catalogue entry 'x'; known: …",
    ),
    (plot("series:", "x_range: [1, .inf]\nseries:"), 5, "plot: x_range: inf is not allowed; must be finite"),
    (plot("fig-p", ""), 5, "Directive 'plot': 1 argument(s) required, 0 supplied"),
    (CASE + PLOT + "\n\n" + PLOT, 14, 'Duplicate explicit target name: "fig-p".'),
    (mem("memory", "memry"), 1, "diagram: unknown diagram 'memry'; near: memory"),
    (mem("memory fig-m", "memory"), 1, "Directive 'diagram': 2 argument(s) required, 1 supplied"),
    (mem("size: 70", "size: -70"), 1, "diagram: bar 'one', part 'weights': size: -70 is not allowed; must be at least 0"),
    (mem("size: 70", "size: .nan"), 1, "diagram: bar 'one', part 'weights': size: nan is not allowed; must be at least 0"),
    (mem("size: 70", "size: true"), 1, "diagram: unknown formula or catalogue entry 'True'; known: …"),
    (mem("size: 70", "size: much"), 1, "diagram: unknown formula or catalogue entry 'much'; near: mfu, …"),
    (mem("size: 70", "size: weight-bytes model=llama-3.1-70b in ms"), 1, "diagram: 'ms' does not measure what this is: B"),
    (mem("capacity: 80", "capacity: 0"), 1, "diagram: bar 'one': capacity: 0 is not allowed; must be above 0"),
    (mem("size: 70", "sise: 70"), 1, "diagram: unknown field of part 'sise'; near: size"),
    (
        mem("size: 70", "size: 70, role: nope"),
        1, "diagram: bar 'one', part 'weights': role: 'nope' is not known; must be one of weights, memory, …",
    ),
    (mem("bars:", "unit: parsec\nkey: 3\nbars:"), 1, "diagram: expected lines 'field: value' for key, not 3"),
    (
        mem("  parts:\n  - {label: weights, size: 70}", "  parts: 3"),
        1, "diagram: expected a list for parts, one '- …' per row, not 3",
    ),
    (mem("label: one", "label: [1]"), 1, "diagram: expected text, not [1]"),
    (
        d("diagram", "timeline t", "title: a\ncaption: b\nrows: [{label: r, spans: [{lasts: -1}]}]"),
        1, "diagram: row 'r', span 1: end: -1 is not allowed; must be at least the start, 0",
    ),
    (
        d("diagram", "timeline t", "title: a\ncaption: b\nrows: [{label: r, spans: []}]"),
        1, "diagram: expected a list for spans, one '- …' per row, not []",
    ),
    (
        d("diagram", "timeline t", "title: a\ncaption: b\nrows: [{label: r, spans: [{lasts: 1, divisions: x}]}]"),
        1, "diagram: row 'r', span 1: divisions: 'x' is not allowed; must be a whole number of at least 1",
    ),
    (
        d("diagram", "timeline t", "title: a\ncaption: b\nrows: [{label: r, spans: [{lasts: 1, start: 1}]}]\nmarks: [{x: 1}]"),
        1, "diagram: the field 'text' of mark is missing",
    ),
    (
        d("diagram", "path t", "title: a\ncaption: b\nnodes: [{label: a}]\nhops: [{bandwidth: 1}]"),
        1, "diagram: hops: 1 given for 1 nodes; must be one fewer than the nodes",
    ),
    (
        d("diagram", "path t", "title: a\ncaption: b\nnodes: [{label: a}, {label: b}]\nhops: [{bandwidth: 0}]"),
        1, "diagram: hop 1: bandwidth: 0 is not allowed; must be above 0",
    ),
    (
        d("diagram", "path t", "title: a\ncaption: b\nnodes: [{label: a}, {label: b}]\nhops: [{}]"),
        1, "diagram: the field 'bandwidth' of hop is missing",
    ),
    (
        d("diagram", "topology t", "title: a\ncaption: b\nkind: rng\ndevices: 8"),
        1, "diagram: kind: 'rng' is not known; must be one of switch, ring, mesh",
    ),
    (
        d("diagram", "topology t", "title: a\ncaption: b\nkind: ring\ndevices: 2.5"),
        1, "diagram: devices = 2.5: must be a whole number from 1 to 10000",
    ),
    (
        d("diagram", "topology t", "title: a\ncaption: b\nkind: ring\ndevices: 9999"),
        1, "diagram: devices: 9999 is not allowed; must be a whole number of at least 3 and at most 32",
    ),
    (
        d("diagram", "topology t", "title: a\ncaption: b\nkind: ring\ndevices: .inf"),
        1, "diagram: devices = inf: must be a whole number from 1 to 10000",
    ),
    (
        d("diagram", "tiles t", "title: a\ncaption: b\nrows: 4\ncolumns: 4\ntile_rows: 9\ntile_columns: 2"),
        1, "diagram: tile_rows: 9 is not allowed; must be a whole number of at least 1 and at most 4",
    ),
    (
        d("diagram", "tiles t", "title: a\ncaption: b\nrows: 4\ncolumns: 4\ntile_rows: 2"),
        1, "diagram: the field 'tile_columns' of diagram is missing",
    ),
    (
        d("diagram", "tiles t", "title: a\ncaption: b\nrows: 0\ncolumns: 4\ntile_rows: 2\ntile_columns: 2"),
        1, "diagram: rows = 0: must be a whole number from 1 to 1000000000",
    ),
    (
        d("diagram", "tiles t", "title: a\ncaption: b\nrows: 4\ncolumns: 4\ntile_rows: 2\ntile_columns: 2\nrole: [x]"),
        1, "diagram: role: ['x'] is not known; must be one of weights, memory, kv, activations, compute, …",
    ),
    (LEDGER.replace("  waits: all\n", ""), 1, "ledger: the field 'waits' of ledger row is missing"),
    (LEDGER.replace("waits", "wait"), 1, "ledger: unknown field of ledger row 'wait'; near: waits, …"),
    (LEDGER.replace("times: 1", "times: x"), 1, "ledger: unknown formula or catalogue entry 'x'; known: …"),
    (LEDGER.replace("times: 1", "trips: 3\n  times: 1"), 1, "ledger: ledger row: trips without trip, the time of one"),
    (LEDGER.replace("70 GB", "70 s"), 1, "ledger: data = 70 s: unit must be B, not s (bytes moved over one path)"),
    (LEDGER.replace("times: 1", "times: '\"3 s\"'"), 1, "ledger: cannot add s and s^2"),
    (d("ledger", "x"), 1, "ledger: expected a list for ledger, one '- …' per row, not None"),
    (d("ledger", "x", "a: b"), 1, "ledger: expected a list for ledger, one '- …' per row, not {'a': 'b'}"),
    (d("ledger", "x", "- a"), 1, "ledger: expected lines 'field: value' for ledger row, not 'a'"),
    (
        d("ledger", "x", "a: [b"),
        1, 'ledger: the body is not YAML: while parsing a flow sequence in "<unicode string>", line 1, column …',
    ),
    (
        LEDGER.replace("HBM", "'{{ h100-sxm nope }}'"),
        1, "ledger: unknown field of h100-sxm 'nope'; known: …",
    ),
    (LEDGER.replace("HBM", "'{value}`x`'"), 5, "value: unknown formula or catalogue entry 'x'; known: …"),
    (
        d("exercise", "ex", "Text.") + "\n\n" + d("exercise", "ex", "Text."),
        5, "exercise: 'ex' is declared twice, first as exercise in {page}",
    ),
    (d("exercise", "", "Text."), 1, "Directive 'exercise': 1 argument(s) required, 0 supplied"),
    (d("solution", "exs", "Text."), 1, "solution: unknown exercise 'exs'; known: none"),
    (d("exercise", "ex-a", "Text.") + "\n\n" + d("solution", "ex", "Text."), 5, "solution: unknown exercise 'ex'; near: ex-a"),
    (
        d("exercise", "exb", "Text.") + "\n\n" + d("solution", "exb", "Text.") + "\n\n" + d("solution", "exb", "Text."),
        9, "solution: exercise 'exb' has a solution already",
    ),
    (
        d("exercise", "exc", "Text.") + "\n\n" + d("solution", "exc", "Text.",answer="x"),
        5, "solution: unknown formula or catalogue entry 'x'; known: …",
    ),
    (d("exercise", "exd", "A\nb {value}`x`"), 3, "value: unknown formula or catalogue entry 'x'; known: …"),
    (
        d("exercise", "ex_e", "a") + "\n\n" + d("exercise", "ex-e", "b"),
        5, "exercise: 'ex-e' is declared twice, first as exercise in {page}",
    ),
]
