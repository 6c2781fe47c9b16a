"""The formulas of a page: expressions over its record, and nothing else. A formula cannot access Python names, attributes or imports.

    copy("relu_kernel1"):.1f             an expression, with a format of Python after a colon
    copy(v) = value(main, v, "% of copy")        a definition, in a separate comment
    {v}: {copy(v):.1f} %                 a template: text with formulas in braces
"""

from __future__ import annotations

import ast
import math
import operator
import statistics
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from workbook.records import Record, RecordError


class FormulaError(Exception):
    """A formula that cannot be evaluated; the message says why."""


Names = dict[str, Any]
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def power_of_two(value: float) -> str:
    """134217728 -> 2^27; other numbers unchanged."""
    exponent = round(math.log2(value)) if value > 0 else 0
    return f"2^{exponent}" if 2**exponent == value else f"{value:.0f}"


def geometric_mean(values: Sequence[float]) -> float:
    """The n-th root of the product."""
    return math.exp(sum(map(math.log, values)) / len(values))


FUNCTIONS: Names = {
    "abs": abs,
    "enumerate": lambda values: list(enumerate(values)),
    "float": float,
    "int": int,
    "join": lambda values, between: between.join(map(str, values)),
    "len": len,
    "log2": math.log2,
    "max": max,
    "mean": statistics.mean,
    "geometric_mean": geometric_mean,
    "median": statistics.median,
    "median_low": statistics.median_low,
    "min": min,
    "power_of_two": power_of_two,
    "round": round,
    "sorted": sorted,
    "split": lambda text, at=None: text.split(at),
    "sqrt": math.sqrt,
    "starts": lambda text, first: text.startswith(first),
    "sum": sum,
    "without": lambda text, part: text.replace(part, ""),
}


def names_of(record: Record) -> Names:
    """A formula's interface to a record."""
    return {
        **FUNCTIONS,
        "card": record.card,
        "date": record.date,
        "date_of": record.date_of,
        "sections": record.sections,
        "rows": record.rows,
        "columns": record.columns,
        "value": record.value,
        "values": record.values,
    }


class Definition:
    """`name = expression`, or `name(a, b) = expression`: evaluated where it is used."""

    def __init__(self, name: str, parameters: list[str], body: ast.expr) -> None:
        self.name, self.parameters, self.body = name, parameters, body


def parse_expression(text: str) -> ast.expr:
    """The syntax tree of an expression. FormulaError: it is not an expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise FormulaError(f"`{text.strip()}` is no expression: {error}") from None


def parse_definition(line: str) -> Definition:
    """FormulaError: the line does not define anything."""
    head, equals, body = line.partition("=")
    if not equals or body.startswith("="):
        raise FormulaError(f"`{line.strip()}` is no definition: name = expression, or name(a) = expression")
    name = parse_expression(head)
    parameters: list[str] = []
    if isinstance(name, ast.Call) and not name.keywords and all(isinstance(part, ast.Name) for part in name.args):
        parameters = [part.id for part in name.args if isinstance(part, ast.Name)]
        name = name.func
    if not isinstance(name, ast.Name):
        raise FormulaError(f"`{head.strip()}` is no name: name = expression, or name(a) = expression")
    return Definition(name.id, parameters, parse_expression(body))


class Evaluator:
    """Evaluates expressions over names. For a name defined by the page, its definition is evaluated."""

    def __init__(self, names: Names, definitions: dict[str, Definition]) -> None:
        self.names, self.definitions = names, definitions

    def __call__(self, text: str, local: Names | None = None) -> Any:
        """The value of an expression. FormulaError: it has none."""
        return self.evaluate(parse_expression(text), local or {})

    def evaluate(self, node: ast.expr, local: Names) -> Any:
        """The value of a syntax tree; these names shadow all others."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise FormulaError(f"`{ast.unparse(node)}` is not allowed in a formula")
        try:
            return method(node, local)
        except (FormulaError, RecordError, RecursionError):
            raise
        except Exception as error:  # pylint: disable=broad-except - a formula is data: any error in it is the formula's
            raise FormulaError(f"`{ast.unparse(node)}`: {error}") from None

    def _constant(self, node: ast.Constant, _: Names) -> Any:
        return node.value

    def _name(self, node: ast.Name, local: Names) -> Any:
        if node.id in local:
            return local[node.id]
        if node.id in self.definitions:
            return self._defined(self.definitions[node.id], [])
        if node.id in self.names:
            return self.names[node.id]
        raise FormulaError(f"there is no {node.id}; there are: {', '.join(sorted({*local, *self.definitions, *self.names}))}")

    def _defined(self, definition: Definition, arguments: list[Any]) -> Any:
        if len(arguments) != len(definition.parameters):
            raise FormulaError(f"{definition.name} takes {len(definition.parameters)} arguments, not {len(arguments)}")
        return self.evaluate(definition.body, dict(zip(definition.parameters, arguments)))

    def _call(self, node: ast.Call, local: Names) -> Any:
        if not isinstance(node.func, ast.Name):
            raise FormulaError(f"`{ast.unparse(node.func)}` cannot be called in a formula")
        arguments = [self.evaluate(part, local) for part in node.args]
        keywords = {word.arg: self.evaluate(word.value, local) for word in node.keywords if word.arg}
        if node.func.id in self.definitions:
            return self._defined(self.definitions[node.func.id], arguments)
        function = self._name(node.func, local)
        if not callable(function):
            raise FormulaError(f"{node.func.id} is not a function")
        return function(*arguments, **keywords)

    def _binop(self, node: ast.BinOp, local: Names) -> Any:
        left, right = self.evaluate(node.left, local), self.evaluate(node.right, local)
        if type(node.op) not in _BINARY or isinstance(node.op, ast.Pow) and abs(right) > 64:
            raise FormulaError(f"`{ast.unparse(node)}` is not allowed in a formula")
        return _BINARY[type(node.op)](left, right)

    def _unaryop(self, node: ast.UnaryOp, local: Names) -> Any:
        if type(node.op) not in _UNARY:
            raise FormulaError(f"`{ast.unparse(node)}` is not allowed in a formula")
        return _UNARY[type(node.op)](self.evaluate(node.operand, local))

    def _boolop(self, node: ast.BoolOp, local: Names) -> Any:
        value: Any = None
        for part in node.values:
            value = self.evaluate(part, local)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare, local: Names) -> bool:
        left = self.evaluate(node.left, local)
        for compare, part in zip(node.ops, node.comparators):
            right = self.evaluate(part, local)
            if not _COMPARE[type(compare)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp, local: Names) -> Any:
        return self.evaluate(node.body if self.evaluate(node.test, local) else node.orelse, local)

    def _tuple(self, node: ast.Tuple, local: Names) -> tuple[Any, ...]:
        return tuple(self.evaluate(part, local) for part in node.elts)

    def _list(self, node: ast.List, local: Names) -> list[Any]:
        return [self.evaluate(part, local) for part in node.elts]

    def _dict(self, node: ast.Dict, local: Names) -> dict[Any, Any]:
        return {self.evaluate(key, local): self.evaluate(value, local) for key, value in zip(node.keys, node.values) if key}

    def _subscript(self, node: ast.Subscript, local: Names) -> Any:
        value = self.evaluate(node.value, local)
        if isinstance(node.slice, ast.Slice):
            first, last = (part and self.evaluate(part, local) for part in (node.slice.lower, node.slice.upper))
            return value[first:last]
        return value[self.evaluate(node.slice, local)]

    def _joinedstr(self, node: ast.JoinedStr, local: Names) -> str:
        return "".join(str(self.evaluate(part, local)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue, local: Names) -> str:
        if node.conversion != -1:
            raise FormulaError(f"`{ast.unparse(node)}` is not allowed in a formula")
        form = self.evaluate(node.format_spec, local) if node.format_spec else ""
        return format(self.evaluate(node.value, local), form)

    def _listcomp(self, node: ast.ListComp, local: Names) -> list[Any]:
        return [self.evaluate(node.elt, names) for names in self._loops(node.generators, local)]

    _generatorexp = _listcomp

    def _loops(self, loops: list[ast.comprehension], local: Names) -> Iterator[Names]:
        if not loops:
            yield local
            return
        for item in self.evaluate(loops[0].iter, local):
            names = {**local, **bind(loops[0].target, item)}
            if all(self.evaluate(test, names) for test in loops[0].ifs):
                yield from self._loops(loops[1:], names)


def bind(target: ast.expr, item: Any) -> Names:
    """The names of `v`, or of `(name, label)`, for an item. FormulaError: they do not fit."""
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(item):
        return {name: value for part, cell in zip(target.elts, item) for name, value in bind(part, cell).items()}
    raise FormulaError(f"`{ast.unparse(target)}` does not fit {item!r}")


def split_format(formula: str) -> tuple[str, str]:
    """The expression and its format: the text after the last colon outside of brackets and quotes."""
    depth, quote, at = 0, "", -1
    for place, letter in enumerate(formula):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
            at = place if letter == ":" and depth == 0 else at
    return (formula, "") if at < 0 else (formula[:at], formula[at + 1 :].strip())


def shown(evaluate: Evaluator, formula: str, local: Names | None = None) -> str:
    """The text that a formula yields. FormulaError, RecordError: it yields none."""
    expression, form = split_format(formula)
    value = evaluate(expression, local)
    try:
        return format(value, form) if form else f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
    except (TypeError, ValueError) as error:
        raise FormulaError(f"`{formula.strip()}` gives {value!r}: {error}") from None


def filled(evaluate: Evaluator, template: str, local: Names | None = None) -> str:
    """A template with each {formula} replaced by its result."""
    text, rest = "", template
    while "{" in rest:
        before, _, after = rest.partition("{")
        end = closing_brace(after)
        text += before + shown(evaluate, after[:end], local)
        rest = after[end + 1 :]
    return text + rest


def closing_brace(text: str) -> int:
    """The position of the brace that closes the one opened before the text. FormulaError: there is none."""
    depth, quote = 1, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place
    raise FormulaError(f"a brace is not closed: {{{text}")
