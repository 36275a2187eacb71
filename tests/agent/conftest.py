from collections.abc import Iterator

import pytest

from agent import client
from tests.agent.model import KEY
from tests.doubles.llm import FakeModel


@pytest.fixture
def llm(settings) -> Iterator[FakeModel]:
    with FakeModel() as fake:
        settings.LLM_BASE_URL = f"{fake.url}/v1"
        settings.LLM_API_KEY = KEY
        settings.LLM_MODEL = "test-model"
        client.model.cache_clear()
        client.engine()  # loaded as a worker does, before any test looks at the time
        client.model()
        yield fake
    client.model.cache_clear()
