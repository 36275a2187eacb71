import planner.celery  # noqa: F401 - the doorbells need a current app
