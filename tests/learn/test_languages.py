"""The course in the reader's language: which it is, the catalogue, and what of it has fallen behind."""

import os
import subprocess
import sys
import textwrap

import pytest
from helpers import ROOT

from minigluon.tools.cli import main
from minigluon.tools.learn import text
from minigluon.tools.learn.course import run_child, start
from minigluon.tools.learn.cutting import solution
from minigluon.tools.learn.step import NAMES, load

pytestmark = pytest.mark.once

MESSAGES = ROOT / "tests" / "scripts" / "learn_messages.py"
VARIABLES = ("MINIGLUON_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture
def chinese(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("MINIGLUON_LANG", "zh")


@pytest.mark.parametrize(("variables", "expected"), [
    ({}, []), ({"LANG": "C.UTF-8"}, []), ({"LANG": "zh_CN.UTF-8"}, ["zh_CN", "zh"]),
    ({"LANG": "zh_CN.UTF-8", "MINIGLUON_LANG": "en"}, ["en"]), ({"LANGUAGE": "de:zh"}, ["de", "zh"]),
])
def test_the_language_is_that_of_the_environment(monkeypatch, variables, expected):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert text.languages() == expected


@pytest.mark.parametrize(("language", "shown"), [("zh", "已完成"), ("zh_CN.UTF-8", "已完成"), ("de:zh", "已完成"),
                                                 ("en", "done"), ("en:zh", "done"), ("de", "done")])
def test_a_message_is_in_the_first_language_that_there_is(monkeypatch, language, shown):
    monkeypatch.setenv("MINIGLUON_LANG", language)
    assert (text._("done"), text._("a message of no catalogue"), text._("")) == (
        shown, "a message of no catalogue", "")
    page = load(NAMES[0]).folder / "page.md"
    assert text.translated_file(page).name == ("page.md" if shown == "done" else "page.zh.md")


CATALOGUE = r"""# of nobody
msgid ""
msgstr "Language: zh\n"

#: course.py
msgid "one {name}\n"
msgstr ""
"一个 "
"\"{name}\"\n"

#, fuzzy
msgid "two"
msgstr "两个"

msgid "three {name}"
msgstr "三个 {nam}"

msgid "four"
msgstr ""
"""


def test_a_catalogue_is_read_as_it_is(tmp_path):
    path = tmp_path / "zh.po"
    path.write_text(CATALOGUE, encoding="utf-8")
    assert text.read_catalogue(path) == {"one {name}\n": '一个 "{name}"\n', "three {name}": "三个 {nam}"}


def test_what_has_fallen_behind_is_named(tmp_path):
    path = tmp_path / "zh.po"
    path.write_text(CATALOGUE.replace("one", "gone"), encoding="utf-8")
    wanted = dict.fromkeys(["two", "three {name}", "four", "five"], "checks.py")
    code = ("import sys, pathlib; from scripts.learn_messages import troubles; "
            f"print(*troubles({wanted!r}, pathlib.Path(sys.argv[1])), sep='\\n')")
    done = subprocess.run([sys.executable, "-c", code, path], text=True, capture_output=True, encoding="utf-8",
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])})
    assert done.stdout.splitlines() == [
        "checks.py: not translated, or fuzzy: 'two'",
        "checks.py: not translated, or fuzzy: 'four'",
        "checks.py: not translated, or fuzzy: 'five'",
        "checks.py: other names in braces: 'three {name}' -> '三个 {nam}'",
        "in the catalogue alone: 'gone {name}\\n'",
    ], done.stderr


def test_the_chinese_catalogue_is_whole():
    done = subprocess.run([sys.executable, MESSAGES], text=True, capture_output=True, encoding="utf-8",
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_learner_begins_in_chinese(chinese, tmp_path, monkeypatch, capsys):
    def run(*args):
        assert main(["learn", *args]) == 0
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    assert "建立一个文件夹，里面是第一步" in run()
    assert run("start", "mine") == (
        f"第 1 步（共 {len(NAMES)} 步）：算子，以及所有算子的表\n"
        "  阅读  mine/01_operator/page.md\n"
        "  编写  mine/01_operator/work.py\n"
        "  然后  minigluon learn check，在文件夹 mine 里运行\n")
    monkeypatch.chdir(tmp_path / "mine")
    page = (tmp_path / "mine" / "01_operator" / "page.md").read_text(encoding="utf-8")
    assert page.startswith("# 1. 算子，以及所有算子的表\n\n一个深度学习框架")
    work = (tmp_path / "mine" / "01_operator" / "work.py").read_text(encoding="utf-8")
    assert "        # YOUR PART（由你来写）：按文档字符串所说，在 cls 上设置：name；" in work
    assert max(text.columns(line) for line in work.splitlines()) <= 120
    assert run("hint") == "提示 1/6，register：名称是 `name or cls.__name__`：不带 name= 的装饰器传来的是 None。\n"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    lines = run("status").splitlines()
    assert lines[1].split() == ["1", "算子，以及所有算子的表", "未完成", "01_operator/work.py"]
    assert text.columns(lines[0].partition("状态")[0]) == text.columns(lines[1].partition("未完成")[0])


def test_a_check_says_in_chinese_what_is_wrong(chinese, tmp_path):
    work = start(tmp_path / "course").work(load(NAMES[0]))
    work.write_text(solution(load(NAMES[0])).replace("cls.name = name or cls.__name__", "cls.name = cls.__name__"))
    result = run_child([(load(NAMES[0]), work)])
    assert result["passed"] == ["算子以它的名称登记在表里，并且知道各个输入的名称", "属性从标注里找出"]
    assert result["failure"]["text"] == (
        "register('data', name='shift') 之后的 cls.name：得到 'operator1'，应为 'shift'。name= 优先于类的名称")


def test_a_comment_breaks_at_spaces_and_beside_chinese_characters():
    english = "a default is in its final form already, and what a user wrote may be text such as 'a-b-c-d-e'. " * 3
    assert text.wrapped(english, 40, "    # ") == textwrap.wrap(
        english, 40, initial_indent="    # ", subsequent_indent="    # ", break_on_hyphens=False)
    assert text.wrapped("返回 cls_with_a_name（见“那里”），再加上 x。", 20, "# ") == [
        "# 返回", "# cls_with_a_name", "# （见“那里”），再加", "# 上 x。"]
