// `npm run docs`: writes what is generated from the code. test/docs.spec.ts fails when it is old.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const { renderConfigurationDocs, renderDefaultYaml } =
  await import('../dist/config/document-settings.js');

// The file of defaults comes first: the hub reads it.
writeFileSync(`${root}config/default.yaml`, renderDefaultYaml());
writeFileSync(`${root}docs/configuration.md`, renderConfigurationDocs());

const { createApp } = await import('../dist/bootstrap.js');
const { renderOpenApi } = await import('../dist/openapi.js');
const app = await createApp({
  config: { database: { url: 'sqlite::memory:' }, log: { level: 'silent' } },
});
writeFileSync(`${root}docs/openapi.json`, renderOpenApi(app));
await app.close();
