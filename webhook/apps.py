from django.apps import AppConfig


class WebhookConfig(AppConfig):
    name = "webhook"
    verbose_name = "微信"
