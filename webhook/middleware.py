"""The callback's short way in: no session, no cookie, no CSRF on a path that machines call and that is signed."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from webhook.views import PATH, callback


class Door:
    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == PATH:
            return callback(request)
        return self.get_response(request)
