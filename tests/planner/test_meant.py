"""Which of some tasks the follower's words mean, by name, day and clock."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.actions import Target
from planner.meant import choose

ZONE = ZoneInfo("Asia/Shanghai")


@dataclass(frozen=True)
class Planned:
    title: str
    start: datetime | None = None


def at(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=ZONE)


TASKS = [
    Planned("和设计部的会", at(12, 14)),
    Planned("周例会", at(13, 10)),
    Planned("看牙医", at(14, 10)),
    Planned("网购猫粮和猫砂"),
    Planned("买狗粮"),
    Planned("写周报", at(13, 18)),
    Planned("提交季度报告", at(20)),
    Planned("给李杰打电话", at(12, 15)),
]


def meant(text: str = "", **more) -> list[str]:
    return [task.title for task in choose(TASKS, Target(text=text, **more), ZONE)]


NAMES = {
    "牙医": ["看牙医"],
    "看牙医": ["看牙医"],
    "买猫粮": ["网购猫粮和猫砂"],
    "周报": ["写周报"],
    "交季度报告": ["提交季度报告"],
    "会议": ["和设计部的会", "周例会"],
    "会": ["和设计部的会", "周例会"],
    "设计部": ["和设计部的会"],
    "李杰": ["给李杰打电话"],
    "跟设计部开会": ["和设计部的会"],
    "理发": [],
}


@pytest.mark.parametrize(("words", "titles"), NAMES.items(), ids=NAMES)
def test_words_mean_what_they_fit_best(words, titles):
    assert meant(words) == titles


def test_a_day_alone_means_all_that_is_on_it():
    assert meant(start=at(13), end=at(14)) == ["周例会", "写周报"]


def test_a_name_on_another_day_is_not_meant():
    assert meant("牙医", start=at(13), end=at(14)) == []


def test_a_clock_without_a_day_is_found_on_any_day():
    assert meant(start=at(11, 15), any_day=True) == ["给李杰打电话"]


def test_a_clock_said_without_its_half_of_the_day_is_found_in_the_other():
    assert meant(start=at(11, 22), any_day=True) == ["周例会", "看牙医"]


def test_all_but_the_named_one():
    assert meant(start=at(13), end=at(14), every=True, but="周报") == ["周例会"]


def test_one_that_is_asked_for_without_a_name_may_be_any():
    assert len(meant(unnamed=True)) == len(TASKS)
