import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const page = readFileSync(join(import.meta.dirname, '../../../docs/protocol-versions.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([a-z0-9.-]+)`/gm)].map((match) => match[1]!);

/** The tests of this folder, which name the rows they show: in their titles, or as keys of tables. */
const tests = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.e2e-spec.ts'))
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  .join('\n');

describe('the tables of docs/protocol-versions.md', () => {
  it('have a test for each row', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(new Set(rows).size).toBe(rows.length);
    const named = (row: string): boolean =>
      new RegExp(`[' ]${row.replaceAll('.', '\\.')}[',:]`).test(tests);
    expect(rows.filter((row) => !named(row))).toEqual([]);
  });
});
