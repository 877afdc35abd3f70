# Node 24.21 hides the intermediate certificates of clients (docs/tls.md): use 24.20 or a later one that shows them.
# Build: compiles the hub. The SQLite driver for this Node comes compiled in its package.
FROM node:24.20.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json ./console/
RUN npm ci --include=dev --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
COPY docs/openapi.json ./docs/
COPY scripts/copy-reference.mjs ./scripts/
# The build copies the two files of swagger-ui that /docs shows, and makes the pages of the console.
RUN npm run build

# The packages the hub runs with; to npm, compilers and servers that only examples need are optional ones.
FROM build AS packages
# The package of swagger-ui, which brings telemetry along, stays out.
RUN npm prune --omit=dev --omit=optional --no-audit --no-fund \
  && rm -rf node_modules/swagger-ui-dist node_modules/@scarf node_modules/a2a-hub-console

# An agent to try the hub with, for compose.yaml: `docker build --target example-agent .`
FROM node:24.20.0-bookworm-slim AS example-agent
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY package.json ./
COPY examples/agents ./examples/agents
ENV HOST=0.0.0.0 PORT=4103
USER node
EXPOSE 4103
CMD ["node", "examples/agents/text-statistics.mjs"]

# Run: no compiler, no sources, not root.
FROM node:24.20.0-bookworm-slim AS hub
ENV NODE_ENV=production \
  UV_THREADPOOL_SIZE=16 \
  A2A_HUB__SERVER__HOST=0.0.0.0 \
  A2A_HUB__DATABASE__URL=sqlite:/data/hub.db
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config ./config
COPY LICENSE ./
# With PostgreSQL the first admin key is written below the working directory.
RUN mkdir /data && chown node:node /data && ln -s /data /app/data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const url = '://127.0.0.1:' + (process.env.A2A_HUB__SERVER__PORT || 4000) + '/health/ready'; const end = (status) => process.exit(status === 200 ? 0 : 1); require('http').get('http' + url, (answer) => end(answer.statusCode)).on('error', () => require('https').get('https' + url, { rejectUnauthorized: false }, (answer) => end(answer.statusCode)).on('error', end))"]
# Node handles SIGTERM itself as the first process: the hub drains and ends with 0.
# One thread beside the event loop for V8's collections of garbage and compilers (docs/adr/0080); how much is
# allocated before a collection (docs/adr/0084).
CMD ["node", "--v8-pool-size=1", "--max-semi-space-size=32", "dist/main.js"]
