# syntax=docker/dockerfile:1
# One image for every service; the command chooses which: node dist/apps/<service>/src/main.js

FROM node:24-bookworm-slim AS build
WORKDIR /app
# The manifests first: dependencies are installed again only when they change.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
# The inference runtime brings its libraries for every system, 200 MB of them for others than this one.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32

FROM node:24-bookworm-slim
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="An open, self-hosted voice agent platform" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# A uid with a passwd line: some libraries ask who they run as. A number in USER lets Kubernetes see that it is not root.
RUN groupadd --gid 10001 parley \
 && useradd --uid 10001 --gid parley --home-dir /var/lib/parley --create-home --shell /usr/sbin/nologin parley
WORKDIR /app
# Owned by root, so that the service cannot rewrite its own code.
COPY --from=build /app/package.json /app/LICENSE /app/NOTICE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY deploy/healthcheck.mjs ./deploy/
ENV NODE_ENV=production \
    NODE_OPTIONS="--enable-source-maps --max-semi-space-size=32" \
    PARLEY_ENVIRONMENT=production \
    ADMIN_HOST=0.0.0.0 \
    ADMIN_PORT=9090
USER 10001:10001
EXPOSE 8080 9090
# Nothing writes outside /var/lib/parley and /tmp, so the rest of the root may be mounted read-only.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
# No init process: each service handles SIGTERM itself, and Node reaps the children that it starts.
CMD ["node", "dist/apps/gateway/src/main.js"]
