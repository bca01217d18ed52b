"""Colors of code whose contrast with the background is at least 4.5, in light and in dark pages."""

from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, String, Token

__all__ = ["Dark", "Light"]


def _styles(keyword, name, string, number, comment, prompt):
    return {Comment: f"italic {comment}", Keyword: keyword, Operator.Word: keyword, Name.Function: name,
            Name.Class: name, Name.Decorator: name, Name.Builtin: name, String: string, Number: number,
            Generic.Prompt: prompt, Generic.Output: comment, Generic.Traceback: comment, Error: ""}


class Light(Style):
    """The style for light pages."""

    background_color = "#f6f8fa"
    styles = {Token: "#1f2328"} | _styles("#a21caf", "#1d4ed8", "#166534", "#9a3412", "#57606a", "#57606a")


class Dark(Style):
    """The style for dark pages."""

    background_color = "#161b22"
    styles = {Token: "#e6edf3"} | _styles("#e879f9", "#7cb3ff", "#7ee2a8", "#fdba74", "#a3adb8", "#a3adb8")
