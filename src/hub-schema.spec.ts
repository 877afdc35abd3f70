import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { HUB_SCHEMA } from './hub-schema.js';

const places = HUB_SCHEMA.sealedTables.flatMap(({ table, columns }) =>
  columns.map(({ name }) => `${table}.${name}`),
);

describe('the columns that hold secrets', () => {
  it('are found by their names, and the others by a list', () => {
    expect(places).toEqual(
      expect.arrayContaining([
        'hub_settings.value',
        'signing_keys.private_key',
        'agents.credentials',
        'agents.card_headers',
        'push_webhooks.sealed_credentials',
        'push_webhooks.sealed_token',
        'push_webhooks.sealed_signing_keys',
      ]),
    );
    expect(new Set(places).size).toBe(places.length);
  });

  it('belong to tables with a primary key', () => {
    for (const { table, key } of HUB_SCHEMA.sealedTables)
      expect([table, key.length > 0]).toEqual([table, true]);
    expect(HUB_SCHEMA.entities.length).toBeGreaterThan(HUB_SCHEMA.sealedTables.length);
  });

  it('are all in docs/secrets.md, and no others are', () => {
    const docs = readFileSync('docs/secrets.md', 'utf8');
    const table = docs.slice(docs.indexOf('## What is encrypted'), docs.indexOf('Not encrypted:'));
    const named = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, place]) => place);
    expect(named.sort()).toEqual([...places].sort());
  });
});
