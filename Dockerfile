# syntax=docker/dockerfile:1
# One image for every service; the command chooses which: node dist/apps/<service>/src/main.js

# On the processor of the machine that builds, whichever the image is for: emulated, this would take an hour.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /app
# The manifests first: dependencies are installed again only when they change. onnxruntime's CUDA libraries are never used.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm ONNXRUNTIME_NODE_INSTALL=skip npm ci
COPY . .
# Without benchmarks, fuzzing, chaos and the simulations that they drive: tools/shipped.mjs lists them.
RUN npm run build -- --shipped

# What ships of the dependencies: most of what libraries bring along is never opened. The list of what is left is the SBOM.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS modules
WORKDIR /app
ARG TARGETARCH
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm ONNXRUNTIME_NODE_INSTALL=skip \
    npm ci --omit=dev --os=linux --libc=glibc --cpu="$(echo "${TARGETARCH:-$(dpkg --print-architecture)}" | sed s/amd64/x64/)"
COPY deploy/trim-modules.mjs deploy/sbom.mjs ./deploy/
RUN node deploy/trim-modules.mjs node_modules "$TARGETARCH" && node deploy/sbom.mjs . > sbom.cdx.json

# What V8 makes of the code, so that a start compiles nothing. Node keeps it by user, so it is made as the one that the image runs as.
FROM node:24-bookworm-slim AS compiled
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY deploy/compile-ahead.mjs ./deploy/
RUN install -d -o 10001 -g 10001 compiled
USER 10001:10001
RUN node deploy/compile-ahead.mjs compiled

# The system without what only builds: no package manager of Node, no headers, no manuals; licences stay.
FROM node:24-bookworm-slim AS system
# A uid with a passwd line: some libraries ask who they run as. A number in USER lets Kubernetes see that it is not root.
# bzip2 unpacks models. The home is no volume, and empty: what libraries keep there would be in the backups of the data.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends bzip2 >/dev/null \
 && groupadd --gid 10001 parley \
 && useradd --uid 10001 --gid parley --home-dir /home/parley --no-create-home --shell /usr/sbin/nologin parley \
 && install -d /home/parley \
 && install -d -o 10001 -g 10001 -m 700 /var/lib/parley \
 && install -d -o 10001 -g 10001 /var/lib/parley-models \
 && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
    /usr/local/include /usr/local/share /usr/share/man /usr/share/info /usr/share/locale /root/.npm* \
    /var/cache/apt /var/cache/debconf /var/lib/apt/lists /var/log/* \
 && find /usr/share/doc -type f ! -name copyright -delete

# One layer of the system as it is left: what was taken out above is not carried along below.
FROM scratch
COPY --from=system / /
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="An open, self-hosted voice agent platform" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
# Owned by root, so that the service cannot rewrite its own code.
COPY --from=build /app/package.json /app/LICENSE /app/NOTICE ./
COPY --from=modules /app/sbom.cdx.json ./
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=compiled --chown=0:0 /app/compiled ./compiled
COPY deploy/healthcheck.mjs ./deploy/
# Downloads models for speech without a cloud: node tools/models.mjs list
COPY tools/models.mjs tools/kokoro-model.mjs tools/progress.mjs ./tools/
# Stack traces in TypeScript, without loading the source maps of packages.
COPY tools/own-source-maps.cjs ./tools/
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/home/parley \
    XDG_CACHE_HOME=/tmp/cache \
    NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/compiled \
    NODE_OPTIONS="--require=/app/tools/own-source-maps.cjs --max-semi-space-size=32" \
    PARLEY_ENVIRONMENT=production \
    ORT_DISABLE_TELEMETRY=1 \
    ADMIN_HOST=0.0.0.0 \
    ADMIN_PORT=9090
USER 10001:10001
EXPOSE 8080 9090
# Nothing writes outside /var/lib/parley and /tmp, so the rest of the root may be mounted read-only.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
# No init process: each service handles SIGTERM itself, and Node reaps the children that it starts.
CMD ["node", "--no-memory-reducer", "dist/apps/gateway/src/main.js"]
