# invoice-relay as a container: `serve` by default, any other command as its argument (migrate, doctor, …).

FROM node:24.21.0-alpine AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY tools/checkout tools/checkout
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY tools/build.ts tools/build.ts
COPY src src
COPY migrations migrations
RUN npm run build

# What production needs and nothing else: neither the compiler, nor embedded Postgres, nor the local services' parts.
FROM node:24.21.0-alpine AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/checkout tools/checkout
RUN npm ci --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-alpine
ENV NODE_ENV=production PORT=4000
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json ./
USER node
EXPOSE 4000
# Alive is enough for a restart; whether it can record is what a load balancer asks at /readyz. With --workers-only and no
# OPS_PORT nothing listens: that the process runs is all there is to ask.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "const { OPS_PORT, PORT } = process.env; if (!OPS_PORT && /\\0--workers-only\\0/.test(require('fs').readFileSync('/proc/1/cmdline', 'utf8'))) process.exit(0); fetch(`http://127.0.0.1:${OPS_PORT || PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/interfaces/cli/main.js"]
CMD ["serve"]
