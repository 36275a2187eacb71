FROM python:3.11-slim
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN useradd --system planner && mkdir -p data && chown planner data
USER planner
ENV PYTHONUNBUFFERED=1
