# Two images from one file: docker build --target api . and docker build --target worker .

FROM python:3.12-slim-bookworm AS python


# Everything that is downloaded is downloaded here, held against the locks.
FROM python AS wheels
WORKDIR /build
# The build tools of Rowmill (hatchling) and of pyvips (setuptools). With them in place nothing is
# fetched unlocked, and pip has no reason to look for a compiler.
COPY requirements/build.txt requirements/
RUN pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements/build.txt
COPY requirements/api.txt requirements/worker.txt requirements/
# Wheels only. pyvips is the one exception: it is published as source, and is pure Python without
# a compiler (libvips itself comes in the wheel pyvips-binary).
RUN pip wheel --no-cache-dir --only-binary :all: --require-hashes \
      --wheel-dir api -r requirements/api.txt \
 && pip wheel --no-cache-dir --no-build-isolation --only-binary :all: --no-binary pyvips \
      --require-hashes --wheel-dir worker -r requirements/worker.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY app app
COPY worker worker
COPY alembic alembic
RUN pip wheel --no-cache-dir --no-build-isolation --no-index --no-deps --wheel-dir rowmill .


FROM wheels AS api-packages
RUN python -m venv --without-pip /opt/rowmill \
 && pip --python /opt/rowmill/bin/python install --no-cache-dir --no-index --no-deps \
      api/*.whl rowmill/*.whl


FROM wheels AS worker-packages
RUN python -m venv --without-pip /opt/rowmill \
 && pip --python /opt/rowmill/bin/python install --no-cache-dir --no-index --no-deps \
      worker/*.whl rowmill/*.whl


# What both have in common. The code belongs to root, the process to a user who can write
# nothing but /data; a named volume takes its owner from the folder made here.
FROM python AS runtime
LABEL org.opencontainers.image.title="Rowmill" \
      org.opencontainers.image.description="Converts files in the background" \
      org.opencontainers.image.licenses="Apache-2.0"
# Safe path: a folder named worker in the current folder must not come before ours.
ENV PATH=/opt/rowmill/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    ROWMILL_DATA=/data
RUN groupadd --gid 10001 rowmill \
 && useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir /data \
      --shell /usr/sbin/nologin rowmill \
 && install --directory --owner=rowmill --group=rowmill --mode=0700 /data
# The image comes without compiled modules, and a process that can write nowhere would compile
# the standard library anew at each start and each health check.
RUN python -m compileall -q -x 'idlelib|lib2to3|site-packages|tkinter|turtledemo' \
      "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
VOLUME /data
STOPSIGNAL SIGTERM


FROM runtime AS worker
LABEL org.opencontainers.image.title="Rowmill worker"
# The slim image has no font at all: the text of an SVG would be invisible. Liberation, Carlito and
# Caladea are as wide as Arial, Times, Calibri and Cambria, so that lines break where they did.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      fonts-crosextra-caladea fonts-crosextra-carlito fonts-dejavu-core fonts-liberation2 \
 && rm -rf /var/lib/apt/lists/*
# Office documents (Word, Excel, PowerPoint) need LibreOffice, 220 MB; OFFICE=no leaves it out.
ARG OFFICE=yes
RUN if [ "$OFFICE" = yes ]; then \
      apt-get update \
      && apt-get install --yes --no-install-recommends \
           libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui \
           libreoffice-writer-nogui \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=worker-packages /opt/rowmill /opt/rowmill
USER 10001:10001
# The desk leaves a sign of life, also while the database is away. Silent for as long as others
# wait before they take its jobs: unhealthy.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=2 \
  CMD ["python", "-m", "worker", "--check"]
CMD ["python", "-m", "worker"]


FROM runtime AS api
LABEL org.opencontainers.image.title="Rowmill API"
ENV ROWMILL_HOST=0.0.0.0 \
    ROWMILL_PORT=8000
COPY --from=api-packages /opt/rowmill /opt/rowmill
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['ROWMILL_PORT']), timeout=5); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["rowmill", "api"]
