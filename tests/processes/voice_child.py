"""Run as a process: hears one clip. CRASH_AT says where it dies (planner/crashpoints.py)."""

import django

django.setup()

from transcription.worker import hear_next, recogniser
from webhook.media import Media
from webhook.wechat import WeChat

if __name__ == "__main__":
    hear_next(Media(WeChat()), recogniser())
