# KGQA Explorer, as a server for others: see docs/operating.md.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m venv /opt/kgqa && \
    /opt/kgqa/bin/pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch==2.13.0 && \
    /opt/kgqa/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock
COPY . .
RUN /opt/kgqa/bin/pip install --no-cache-dir --no-deps . && /opt/kgqa/bin/kgqa prepare

FROM python:3.11-slim-bookworm
RUN useradd --create-home --uid 10001 kgqa && mkdir /data && chown kgqa /data
COPY --from=build /opt/kgqa /opt/kgqa
USER kgqa
ENV PATH=/opt/kgqa/bin:$PATH KGQA_DATA_DIR=/data KGQA_HOSTED=1 PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8501
# begins when pages can be served, and fails when the server hangs
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
    python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"
# what still runs is marked as interrupted before the process ends
STOPSIGNAL SIGTERM
CMD ["kgqa", "app", "--port", "8501", "--address", "0.0.0.0"]
