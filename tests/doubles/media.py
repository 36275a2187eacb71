"""WeChat's media/get: what followers have sent, by id, as FakeWeChat serves it. What it does not know is HTTP 200 and
JSON, as with the real one."""

from tests.doubles.server import Answer, Request


class Media:
    def __init__(self) -> None:
        self.sounds: dict[str, bytes] = {}

    def holds(self, media_id: str, sound: bytes) -> None:
        self.sounds[media_id] = sound

    def answer(self, request: Request) -> Answer:
        media_id = request.query.get("media_id", "")
        if media_id not in self.sounds:
            text = f'{{"errcode":40007,"errmsg":"invalid media_id hint: [{media_id[:4]}] rid: 65a-test"}}'
            return Answer(body=text, headers={"Content-Type": "text/plain"})
        disposition = f'attachment; filename="{media_id}.amr"'
        return Answer(
            body=self.sounds[media_id], headers={"Content-Type": "audio/amr", "Content-Disposition": disposition}
        )
