"""The Sphinx extension of the book: directives and roles that print formulas and the numbers they give."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent


def version() -> str:
    """A digest of what turns formulas into pages: when it changes, every page is read again."""
    package = HERE.parent
    engine = (p for p in (package / "engine").glob("*.py") if p.stem != "_numeric")
    files = [
        *HERE.rglob("*.py"),
        *HERE.rglob("*.js"),
        *engine,
        *(package / "architecture").rglob("*.py"),
        package / "units.py",
        package / "formats.py",
    ]
    return hashlib.blake2b(b"".join(p.read_bytes() for p in sorted(files)), digest_size=8).hexdigest()


def check_sources(app: Sphinx) -> None:
    """A mistake in a formula or in the catalogue stops the build with its own message, not with one on every page."""
    from sphinx.errors import ConfigError

    from aiinfra import catalog, formulas
    from aiinfra.errors import AIInfraError

    try:
        formulas.load()
        catalog.models(), catalog.devices(), catalog.measurements()
    except AIInfraError as error:
        raise ConfigError(str(error)) from error


def setup(app: Sphinx) -> dict:
    """Register everything; see `docs/contributing.md` for what an author writes."""
    from aiinfra.book import (
        base,
        calculators,
        commands,
        counted,
        deployments,
        equations,
        estimates,
        exercises,
        figures,
        ledgers,
        live,
        tables,
    )
    from aiinfra.book.domain import BookDomain

    app.add_domain(BookDomain)
    app.add_node(base.value_node, html=(base.visit_value_html, base.depart_value_html), latex=(base.nothing, base.nothing))
    for module in (calculators, commands, counted, equations, estimates, exercises, figures, tables):
        module.add_nodes(app)
    directives = {
        "case": equations.CaseDirective,
        "formula": equations.FormulaDirective,
        "derivation": equations.DerivationDirective,
        "worked": equations.WorkedDirective,
        "flip": equations.FlipDirective,
        "calculator": calculators.CalculatorDirective,
        "estimate": estimates.EstimateDirective,
        "plot": figures.PlotDirective,
        "diagram": figures.DiagramDirective,
        "ledger": tables.LedgerDirective,
        "comparison": tables.ComparisonDirective,
        "matrices": ledgers.MatricesDirective,
        "states": ledgers.StatesDirective,
        "rules": ledgers.RulesDirective,
        "roofline": ledgers.RooflineDirective,
        "predictions": deployments.PredictionsDirective,
        "command": commands.CommandDirective,
        "cli": commands.CliDirective,
        "schema": commands.SchemaDirective,
        "fields": commands.FieldsDirective,
        "assumptions": commands.AssumptionsDirective,
        "results": commands.ResultsDirective,
        "aliases": commands.AliasesDirective,
        "exercise": exercises.ExerciseDirective,
        "hint": exercises.HintDirective,
        "solution": exercises.SolutionDirective,
        "answers": exercises.AnswersDirective,
        "symbols": tables.SymbolsDirective,
        "formulas": tables.FormulasDirective,
        "devices": tables.DevicesDirective,
        "achieved": tables.AchievedDirective,
        "disagreements": tables.DisagreementsDirective,
        "models": tables.ModelsDirective,
        "measurements": tables.MeasurementsDirective,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive, override=name == "hint")  # docutils has an admonition of that name
    app.add_role("value", equations.ValueRole())
    live.setup(app)
    app.connect("builder-inited", check_sources)
    app.connect("builder-inited", figures.write_styles)
    return {"version": "1", "env_version": version(), "parallel_read_safe": True, "parallel_write_safe": True}
