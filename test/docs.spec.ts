import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { renderConfigurationDocs, renderDefaultYaml } from '../src/config/document-settings.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

// When one of these fails because the code changed: npm run docs.
describe('generated files', () => {
  it('config/default.yaml holds every setting with its default', () => {
    expect(read('config/default.yaml')).toBe(renderDefaultYaml());
  });

  it('docs/configuration.md describes every setting', () => {
    expect(read('docs/configuration.md')).toBe(renderConfigurationDocs());
  });
});

describe('AGENTS.md', () => {
  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('AGENTS.md').matchAll(/npm run ([\w:]+)/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
