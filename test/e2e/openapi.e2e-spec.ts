import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDITED_RESOURCES } from '../../src/common/audited-resources.js';
import { renderOpenApi } from '../../src/openapi.js';
import { type Hub, startHub } from '../support/app.js';

describe('the API description', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await startHub();
  });
  afterAll(() => hub.close());

  it('is in docs/openapi.json', () => {
    const file = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
    // When this fails because the API changed: npm run docs.
    expect(JSON.parse(renderOpenApi(hub.app))).toEqual(JSON.parse(file));
  });

  it('says of every operation what it is for and what it answers', async () => {
    const { body } = await hub.get('/docs/openapi.json', { key: null });
    const bare: string[] = [];
    for (const [path, operations] of Object.entries<Record<string, Operation>>(body.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const answers = Object.keys(operation.responses).some((status) => status.startsWith('2'));
        if (!operation.summary || !answers) bare.push(`${method} ${path}`);
      }
    }
    expect(bare).toEqual([]);
  });

  it('changes no resource that audit.redact.resourceIds does not know', async () => {
    const { body } = await hub.get('/docs/openapi.json', { key: null });
    const types = Object.entries<Record<string, Operation>>(body.paths)
      .filter(([path, operations]) => /\{/.test(path) && Object.keys(operations).some(changes))
      // As `AuditedChanges` names them.
      .map(([path]) => path.slice('/api/v1/'.length).split('/{')[0]!.replaceAll('/', '.'));
    expect(
      types.filter((type) => !(AUDITED_RESOURCES as readonly string[]).includes(type)),
    ).toEqual([]);
  });

  it('describes no DTO without properties', async () => {
    const { body } = await hub.get('/docs/openapi.json', { key: null });
    const empty = Object.entries<{ properties?: object }>(body.components.schemas)
      .filter(([, schema]) => Object.keys(schema.properties ?? {}).length === 0)
      .map(([name]) => name);
    expect(empty).toEqual([]);
  });
});

function changes(method: string): boolean {
  return method !== 'get';
}

interface Operation {
  readonly summary?: string;
  readonly responses: Record<string, unknown>;
}
