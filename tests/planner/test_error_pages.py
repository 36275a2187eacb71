"""What somebody sees who opens a page that is not there, not his, or broken: Chinese, and nothing of the inside."""

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from planner.urls import urlpatterns as ours


def broken(request: HttpRequest):
    raise RuntimeError("a secret of the inside")


urlpatterns = [*ours, path("broken", broken)]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False, enforce_csrf_checks=True)


@pytest.mark.parametrize(
    ("ask", "status", "says"),
    [
        (lambda browser: browser.get("/nowhere"), 404, "没有这个页面"),
        (lambda browser: browser.get("/admin/", headers={"host": "elsewhere.invalid"}), 400, "请求有误"),
        (lambda browser: browser.post("/admin/login/", {"username": "x"}), 403, "页面已经过期"),
        (lambda browser: browser.get("/broken"), 500, "出了点问题"),
    ],
    ids=["404", "400", "403", "500"],
)
def test_an_error_page_is_chinese_and_tells_nothing_of_the_inside(ask, status, says, browser):
    answer = ask(browser)

    page = answer.content.decode()
    assert (answer.status_code, says in page, 'lang="zh-CN"' in page) == (status, True, True)
    assert not any(word in page for word in ("secret", "Traceback", "Forbidden", "Not Found", "Error"))
