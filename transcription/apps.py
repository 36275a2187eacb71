from django.apps import AppConfig


class TranscriptionConfig(AppConfig):
    name = "transcription"
    verbose_name = "语音"
