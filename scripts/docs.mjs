// `npm run docs`: writes what is generated from the code. test/docs.spec.ts fails when it is old.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const { renderConfigurationDocs, renderDefaultYaml } =
  await import('../dist/config/document-settings.js');

// The file of defaults comes first: the hub reads it.
writeFileSync(`${root}config/default.yaml`, renderDefaultYaml());
writeFileSync(`${root}docs/configuration.md`, renderConfigurationDocs());

const { createApp } = await import('../dist/bootstrap.js');
const { renderOpenApi } = await import('../dist/openapi.js');
// An issuer, since there is a metric of issuers.
const issuer = { id: 'i', issuer: 'http://127.0.0.1:9', audiences: ['hub'], organization: 'o' };
const app = await createApp({
  config: {
    auth: { issuers: [issuer] },
    database: { url: 'sqlite::memory:' },
    egress: { allow: ['127.0.0.1/32'] },
    log: { level: 'silent' },
  },
});
writeFileSync(`${root}docs/openapi.json`, renderOpenApi(app));

const { withMetricsTable } = await import('../dist/observability/document-metrics.js');
const { Metrics } = await import('../dist/observability/metrics.js');
await app.init();
const telemetry = `${root}docs/telemetry.md`;
const metrics = app.get(Metrics).describe();
writeFileSync(telemetry, withMetricsTable(readFileSync(telemetry, 'utf8'), metrics));
await app.close();
