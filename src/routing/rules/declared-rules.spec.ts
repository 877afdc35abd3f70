import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ConfigError, type DeclaredEntry } from '../../config/index.js';
import { readDeclaredRules } from './declared-rules.service.js';

const read = (yaml: string) => readDeclaredRules(parse(yaml) as DeclaredEntry[]);

describe('rules declared in YAML', () => {
  it('are read by the rules of the API', async () => {
    const rules = await read(`
- name: Invoices
  conditions:
    organizations: [acme]
    text: { pattern: '\\binvoice', ignoreCase: true }
    metadata: { customer.tier: [gold, 1, true] }
  target: { tags: [billing], strategy: all, require: best-effort }
- id: no-payroll
  name: Payroll
  enabled: false
  target: { reject: 'Ask a person.' }
- name: invoices
  target: { agentId: billing }
`);
    expect(rules.map(({ id, enabled, source }) => [id, enabled, source])).toEqual([
      ['invoices', true, 'config'],
      ['no-payroll', false, 'config'],
      ['invoices-2', true, 'config'],
    ]);
    expect(rules[0]).toMatchObject({
      conditions: {
        organizations: ['acme'],
        text: { pattern: '\\binvoice', ignoreCase: true },
        metadata: { 'customer.tier': ['gold', 1, true] },
      },
      target: { tags: ['billing'], strategy: 'all', require: 'best-effort' },
    });
  });

  it('are refused with everything that is wrong, each by its place', async () => {
    const refused = read(`
- { id: a, name: A, target: { agentId: x } }
- { id: a, name: B, target: { agentId: x, reject: 'No.' } }
- { name: C, position: 1, target: { agentId: x } }
- { name: D, conditions: { text: { pattern: '(' } }, target: { tags: [] } }
- { name: E, conditions: { text: { pattern: '(' } }, target: { agentId: x } }
`);
    const error = await refused.catch((thrown: unknown) => thrown as ConfigError);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems.map(({ key }) => key)).toEqual([
      'rules[1].target',
      'rules[1].id',
      'rules[2].position',
      'rules[3].target.tags',
      'rules[4].conditions.text.pattern',
    ]);
  });

  it.each<[string, object[], RegExp]>([
    [
      'patterns that are too large together',
      ['a.{200}c', 'b.{200}c', 'd.{200}c'].map((pattern) => ({
        conditions: { text: { pattern } },
      })),
      /makes 612 instructions/,
    ],
    ['too many', Array.from({ length: 501 }, () => ({})), /more than 500 rules/],
  ])('are refused when they have %s', async (_, rules, text) => {
    const refused = readDeclaredRules(
      rules.map((each) => ({ name: 'r', target: { reject: 'No.' }, ...each })),
    );
    await expect(refused).rejects.toMatchObject({
      problems: [{ key: 'rules', text: expect.stringMatching(text) }],
    });
  });
});
