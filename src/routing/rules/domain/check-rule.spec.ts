import { describe, expect, it } from '@jest/globals';
import { faultsOfRule } from './check-rule.js';
import type { RuleAction, RuleConditions } from './rule.js';
import { ruleIdFrom } from './rule-id.js';

const fields = (target: RuleAction, conditions: RuleConditions = {}): string[] =>
  faultsOfRule({ target, conditions }).map(({ field }) => field);

describe('a rule', () => {
  it.each<[RuleAction]>([
    [{ agentId: 'a' }],
    [{ skillId: 'a.b', strategy: 'first', maxAgents: 3 }],
    [{ tags: ['a'], match: 'any', strategy: 'all', require: 'quorum', quorum: 2 }],
    [{ composite: 'c', deadlineSeconds: 5, maxCalls: 3 }],
    [{ reject: 'No.' }],
  ])('may lead to %j', (target) => {
    expect(fields(target)).toEqual([]);
  });

  it.each<[RuleAction, string[]]>([
    [{}, ['target']],
    [{ agentId: 'a', reject: 'No.' }, ['target']],
    [{ agentId: 'a', match: 'any' }, ['target.match']],
    [{ reject: 'No.', deadlineSeconds: 5 }, ['target.deadlineSeconds']],
    [{ composite: 'c', strategy: 'all' }, ['target.strategy']],
    [{ tags: ['a'], require: 'any' }, ['target.require']],
    [{ tags: ['a'], strategy: 'all', require: 'quorum' }, ['target.quorum']],
    [{ tags: ['a'], strategy: 'all', quorum: 2 }, ['target.quorum']],
    [{ tags: ['a'], maxAgents: 2 }, ['target.maxAgents']],
    [
      { tags: ['a'], strategy: 'all', require: 'quorum', quorum: 3, maxAgents: 2 },
      ['target.quorum'],
    ],
    [{ agentId: 'a', strategy: 'all', require: 'quorum', quorum: 2 }, ['target.quorum']],
  ])('may not lead to %j', (target, expected) => {
    expect(fields(target)).toEqual(expected);
  });

  it('names the pattern that cannot be used, and a match without tags', () => {
    const conditions: RuleConditions = { text: { pattern: '(' }, tagMatch: 'all' };
    expect(fields({ agentId: 'a' }, conditions)).toEqual([
      'conditions.text.pattern',
      'conditions.tagMatch',
    ]);
  });
});

describe('the id of a rule', () => {
  it('is made of its name, and is free', () => {
    expect(ruleIdFrom('Rechnungen & Größe!', () => false)).toBe('rechnungen-gro-e');
    expect(ruleIdFrom('日本', () => false)).toBe('rule');
    const taken = new Set(['a', 'a-2']);
    expect(ruleIdFrom('A', (id) => taken.has(id))).toBe('a-3');
    const long = 'x'.repeat(63);
    expect(ruleIdFrom('x'.repeat(200), (id) => id === long)).toBe(`${'x'.repeat(61)}-2`);
  });
});
