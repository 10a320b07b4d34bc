# The service in an image: docker build --tag belated .
# compose.yaml runs it with PostgreSQL; docs/concepts/deployment.md says how.

FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/belated \
    && /opt/belated/bin/pip install --no-cache-dir '.[cli,postgres,robust,sampling,service]'

FROM python:3.13-slim
COPY --from=build /opt/belated /opt/belated
RUN useradd --system --uid 10001 --home-dir /data --create-home belated
# One thread per process: its matrices are small, and threads that wait for each other slow them down.
ENV PATH="/opt/belated/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    BELATED_STORAGE="sqlite:////data/belated.db"
USER belated
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/ready', timeout=4)"]
# Nobody but this container can reach loopback, and elsewhere the service listens only once there is a token.
ENTRYPOINT ["belated"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
