# Build: compiles better-sqlite3 and the hub, then keeps the packages the hub runs with.
FROM node:24.21.0-bookworm-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY scripts/copy-reference.mjs ./scripts/
# The build copies the two files of swagger-ui that /docs shows; the package, which brings telemetry along, stays out.
RUN npm run build && npm prune --omit=dev \
  && rm -rf node_modules/swagger-ui-dist node_modules/@scarf

# Run: no compiler, no sources, not root.
FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
  UV_THREADPOOL_SIZE=16 \
  A2A_HUB__SERVER__HOST=0.0.0.0 \
  A2A_HUB__DATABASE__URL=sqlite:/data/hub.db
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config ./config
COPY LICENSE ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.A2A_HUB__SERVER__PORT || 4000) + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node handles SIGTERM itself as the first process: the hub drains and ends with 0.
CMD ["node", "dist/main.js"]
