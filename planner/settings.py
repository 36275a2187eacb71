"""All settings, read once from the environment. `.env.example` lists every variable with a line of meaning."""

import os
import secrets
from pathlib import Path
from typing import Any

from planner import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "data")))

# Whole conversations must never leave for a tracing service: all four spellings, before langsmith caches them.
for _name in ("LANGSMITH_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"):
    os.environ[_name] = "false"

DATABASE_URL = env.text("DATABASE_URL")
REDIS_URL = env.redis("REDIS_URL")
DEBUG = env.flag("DEBUG")
SANDBOX = env.flag("SANDBOX")
EMBEDDED = not DATABASE_URL or DATABASE_URL.startswith("sqlite:")


def _generated_key() -> str:
    """The embedded default keeps its own key under data/; a production that forgot one is refused."""
    path = DATA_DIR / "secret_key"
    DATA_DIR.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(secrets.token_urlsafe(50))
        path.chmod(0o600)
    return path.read_text().strip()


SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    if not EMBEDDED:
        raise env.EnvError("SECRET_KEY", "", "must be set when DATABASE_URL names a server")
    SECRET_KEY = _generated_key()

# While a key is changed: what the old one has signed stays good.
SECRET_KEY_FALLBACKS = env.items("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.items("CSRF_TRUSTED_ORIGINS")
INSTALLED_APPS = [
    "planner",
    "webhook",
    "agent",
    "reminders",
    "transcription",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
]
MIDDLEWARE = [
    "webhook.middleware.Door",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "planner.urls"
WSGI_APPLICATION = "planner.wsgi.application"
ASGI_APPLICATION = "planner.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# A web process answers WeChat within 5 s or not at all: its statements end after 2 s. Workers have more time.
ROLE = env.text("PLANNER_ROLE", "worker", choices=("web", "worker"))
_timeout = 2000 if ROLE == "web" else 15000
_postgres: dict[str, Any] = {
    "connect_timeout": 2 if ROLE == "web" else 5,
    # `planner.follower`: who may be seen (planner/walls.py).
    "options": f"-c statement_timeout={_timeout} -c idle_in_transaction_session_timeout=60000 -c planner.follower=all",
    # Django's default is None. Only the lean statements (planner/sql.py) are bound at the server: these are prepared.
    "prepare_threshold": 3 if env.flag("DB_PREPARE", default=True) else None,
}
DB_POOL = env.flag("DB_POOL")
DB_POOL_SIZE = env.whole("DB_POOL_SIZE", 8, least=1)
if DB_POOL:
    _postgres["pool"] = {"min_size": 2, "max_size": DB_POOL_SIZE, "timeout": 2}
DATABASES = {
    "default": {
        **env.database(DATABASE_URL, sqlite_file=str(DATA_DIR / "db.sqlite3"), options=_postgres),
        # Opening a connection costs Postgres ten times what the message does.
        "CONN_MAX_AGE": 0 if DB_POOL else None,
        "CONN_HEALTH_CHECKS": False,
    }
}
if EMBEDDED:
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "zh-hans"
TIME_ZONE = TIME_ZONE_DEFAULT = env.text("TIME_ZONE_DEFAULT", "Asia/Shanghai")
USE_TZ = True
USE_I18N = True
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 12 * 3600  # an operator signs in once a day
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("HTTPS_ONLY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BEHIND_TLS_PROXY") else None
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

WECHAT_APP_ID = env.text("WECHAT_APP_ID")
WECHAT_APP_SECRET = env.text("WECHAT_APP_SECRET")
WECHAT_TOKEN = env.text("WECHAT_TOKEN")
WECHAT_AES_KEY = env.text("WECHAT_AES_KEY")
WECHAT_TOKEN_FALLBACKS = env.items("WECHAT_TOKEN_FALLBACKS")
WECHAT_AES_KEY_FALLBACKS = env.items("WECHAT_AES_KEY_FALLBACKS")
WECHAT_ACCOUNT_KIND = env.text(
    "WECHAT_ACCOUNT_KIND", "service", choices=("service", "subscription", "unverified", "test")
)
WECHAT_API_BASE = env.text("WECHAT_API_BASE", "https://api.weixin.qq.com").rstrip("/")
WECHAT_REMINDER_TEMPLATE_ID = env.text("WECHAT_REMINDER_TEMPLATE_ID")
WECHAT_REMINDER_TEMPLATE_FIELDS = env.mapping("WECHAT_REMINDER_TEMPLATE_FIELDS")
WECHAT_TIMESTAMP_SKEW_SECONDS = env.number("WECHAT_TIMESTAMP_SKEW_SECONDS", 600)
WECHAT_BUSY_IS_UNKNOWN = env.flag("WECHAT_BUSY_IS_UNKNOWN")
WECHAT_ANSWER_SECONDS = env.number("WECHAT_ANSWER_SECONDS", 5, least=0.1)
PASSIVE_HOLD_SECONDS = env.number("PASSIVE_HOLD_SECONDS", 4.5 if WECHAT_ACCOUNT_KIND == "unverified" else 0)
if PASSIVE_HOLD_SECONDS >= WECHAT_ANSWER_SECONDS:
    raise env.EnvError("PASSIVE_HOLD_SECONDS", str(PASSIVE_HOLD_SECONDS), "must be below WECHAT_ANSWER_SECONDS")
WECHAT_CONNECT_SECONDS = env.number("WECHAT_CONNECT_SECONDS", 3, least=0.05)
WECHAT_READ_SECONDS = env.number("WECHAT_READ_SECONDS", 10, least=0.05)

TENCENT_SECRET_ID = env.text("TENCENT_SECRET_ID")
TENCENT_SECRET_KEY = env.text("TENCENT_SECRET_KEY")
TENCENT_REGION = env.text("TENCENT_REGION", "ap-shanghai")
TENCENT_ASR_ENDPOINT = env.text("TENCENT_ASR_ENDPOINT").rstrip("/")
TENCENT_ASR_ENGINE = env.text("TENCENT_ASR_ENGINE", "16k_zh")
TENCENT_ASR_TIMEOUT_SECONDS = env.number("TENCENT_ASR_TIMEOUT_SECONDS", 45, least=0.1)
if bool(TENCENT_SECRET_ID) != bool(TENCENT_SECRET_KEY):
    raise env.EnvError("TENCENT_SECRET_KEY", "…", "must be set together with TENCENT_SECRET_ID, or both be empty")

LLM_BASE_URL = env.web_address("LLM_BASE_URL")
LLM_API_KEY = env.text("LLM_API_KEY")
LLM_MODEL = env.text("LLM_MODEL")
LLM_TIMEOUT_SECONDS = env.number("LLM_TIMEOUT_SECONDS", 30, least=0.1)
LLM_MODE = env.text("LLM_MODE", "auto", choices=("auto", "tools", "json_schema", "json_object"))
LLM_DAILY_TOKENS = env.whole("LLM_DAILY_TOKENS", 20_000_000)
LLM_DAILY_TOKENS_PER_FOLLOWER = env.whole("LLM_DAILY_TOKENS_PER_FOLLOWER", 300_000)
HELD_NOTICE_SECONDS = env.number("HELD_NOTICE_SECONDS", 120)
LLM_EXTRA_BODY = env.json_object("LLM_EXTRA_BODY")
if LLM_BASE_URL and not LLM_MODEL:
    raise env.EnvError("LLM_MODEL", "", "must name a model of LLM_BASE_URL; there is no default that lasts")
if not LLM_API_KEY.isascii():
    raise env.EnvError("LLM_API_KEY", "…", "must be plain ASCII; look for a full-width character")

BREAKER_FAILURES = env.whole("BREAKER_FAILURES", 20, least=1)
BREAKER_WINDOW_SECONDS = env.number("BREAKER_WINDOW_SECONDS", 30, least=0.1)
BREAKER_IN_A_ROW = env.whole("BREAKER_IN_A_ROW", 5, least=1)
BREAKER_OPEN_SECONDS = env.number("BREAKER_OPEN_SECONDS", 10, least=0.1)
BREAKER_STOPPED_SECONDS = env.number("BREAKER_STOPPED_SECONDS", 60, least=1)
_rates = {"llm": 10.0, "asr": 20.0, "wechat_send": 100.0, "wechat_template": 100.0, "token": 2.0, "media": 20.0}
UPSTREAM_RATES = env.rates("UPSTREAM_RATES", _rates)

INTERNAL_TOKEN = env.text("INTERNAL_TOKEN")
INTERNAL_TOKEN_FALLBACKS = env.items("INTERNAL_TOKEN_FALLBACKS")
AGENT_URL = env.text("AGENT_URL").rstrip("/")
TOOLS_URL = env.text("TOOLS_URL").rstrip("/")
METRICS_TOKEN = env.text("METRICS_TOKEN")
AGENT_TIMEOUT_SECONDS = env.number("AGENT_TIMEOUT_SECONDS", 120, least=0.1)

BATCH_QUIET_SECONDS = env.number("BATCH_QUIET_SECONDS", 3)
BATCH_MAX_COLLECT_SECONDS = env.number("BATCH_MAX_COLLECT_SECONDS", 30)
BATCH_LEASE_SECONDS = env.number("BATCH_LEASE_SECONDS", 900, least=1)
BATCH_MAX_CLAIMS = env.whole("BATCH_MAX_CLAIMS", 3, least=1)
HEARTBEAT_SECONDS = env.number("HEARTBEAT_SECONDS", 15, least=0.05)
HEARTBEAT_SILENCE_SECONDS = env.number("HEARTBEAT_SILENCE_SECONDS", 60, least=0.1)
VOICE_MAX_CLAIMS = env.whole("VOICE_MAX_CLAIMS", 3, least=1)
VOICE_DEADLINE_SECONDS = env.number("VOICE_DEADLINE_SECONDS", 900, least=1)
OUTBOUND_MAX_CLAIMS = env.whole("OUTBOUND_MAX_CLAIMS", 4, least=1)
OUTBOUND_LEASE_SECONDS = env.number("OUTBOUND_LEASE_SECONDS", 60, least=1)
CLARIFICATION_TTL_SECONDS = env.number("CLARIFICATION_TTL_SECONDS", 1800, least=1)
SWEEP_SECONDS = env.number("SWEEP_SECONDS", 5, least=0.1)
REMINDER_SCAN_SECONDS = env.number("REMINDER_SCAN_SECONDS", 10, least=0.1)
FOLLOWER_DAILY_MESSAGES = env.whole("FOLLOWER_DAILY_MESSAGES", 2000, least=1)
FOLLOWER_DAILY_VOICES = env.whole("FOLLOWER_DAILY_VOICES", 200)
FOLLOWER_MINUTE_MESSAGES = env.whole("FOLLOWER_MINUTE_MESSAGES", 300, least=1)
API_MINUTE_REQUESTS = env.whole("API_MINUTE_REQUESTS", 300, least=1)
RETAIN_MESSAGES_DAYS = env.whole("RETAIN_MESSAGES_DAYS", 180)
RETAIN_TASKS_DAYS = env.whole("RETAIN_TASKS_DAYS", 400)
RETAIN_DESK_DAYS = env.whole("RETAIN_DESK_DAYS", 180)
RETRY_WAITS = env.numbers("RETRY_WAITS", "5,30,120,600")

if not 3 * HEARTBEAT_SECONDS <= HEARTBEAT_SILENCE_SECONDS <= BATCH_LEASE_SECONDS:
    raise SystemExit(
        "HEARTBEAT_SECONDS, HEARTBEAT_SILENCE_SECONDS, BATCH_LEASE_SECONDS: "
        "3 × heartbeat ≤ silence ≤ lease must hold, or a living worker is taken for dead"
    )

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "日程助手",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://") or "memory://localhost/"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "maintenance"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {
        # A ring that a killed worker held comes back within seconds; the sweep would find the row anyway.
        "visibility_timeout": 1800,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 1,
        "socket_timeout": 5,
        "max_retries": 1,
    }
    if REDIS_URL
    else {"polling_interval": 0.05}
)

LOG_LEVEL = env.text("LOG_LEVEL", "INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "planner.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # At DEBUG they log addresses, of which WeChat's carry the token, and Tencent's SDK logs the whole sound.
        **{
            name: {"level": "WARNING"}
            for name in ("urllib3", "httpx", "httpx2", "httpcore", "openai", "asyncio", "tencentcloud_sdk_common")
        },
        "celery": {"level": "WARNING"},
        "kombu": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
    },
}
