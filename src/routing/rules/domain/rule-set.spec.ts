import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aQuestion, aRule } from './fake-rules.js';
import type { Rule, RuleConditions } from './rule.js';
import { RuleSet } from './rule-set.js';

const applies = (conditions: RuleConditions, question = aQuestion()): boolean =>
  [...new RuleSet([aRule('r', { conditions })]).applying(question)].length === 1;

const whyNot = (conditions: RuleConditions, question = aQuestion()): string | undefined => {
  const set = new RuleSet([aRule('r', { conditions })]);
  return set.whyNot(set.numbered[0]!, question);
};

const caller = (scopes: ('a2a' | 'push' | 'admin')[], organization = 'acme') =>
  aQuestion({ principal: { id: 'p', organization, scopes: new Set(scopes) } });

describe('a condition on', () => {
  it.each<[string, RuleConditions, ReturnType<typeof aQuestion>, boolean]>([
    ['nothing holds always', {}, aQuestion({ text: '' }), true],
    ['organizations: one of them', { organizations: ['x', 'acme'] }, aQuestion(), true],
    ['organizations: exactly', { organizations: ['ACME', 'acm'] }, aQuestion(), false],
    ['scopes: one of them', { scopes: ['agents', 'push'] }, caller(['push']), true],
    ['scopes: none of them', { scopes: ['agents', 'push'] }, caller(['a2a']), false],
    ['scopes: admin holds all', { scopes: ['agents'] }, caller(['admin']), true],
    ['media types: a range', { inputTypes: ['image/*'] }, withTypes('image/png'), true],
    [
      'media types: some part',
      { inputTypes: ['image/*'] },
      withTypes('text/plain', 'image/x'),
      true,
    ],
    ['media types: parameters', { inputTypes: ['text/csv'] }, withTypes('TEXT/csv; a=b'), true],
    ['media types: another', { inputTypes: ['image/*'] }, withTypes('imagery/png'), false],
    ['media types: no part', { inputTypes: ['*/*'] }, withTypes(), false],
    ['tags that led nowhere', { tags: ['Billing'] }, aQuestion({ tags: [' billing '] }), true],
    ['tags of the metadata', { tags: ['b'] }, withMetadata({ tags: ['a', 'b', 7] }), true],
    ['tags of the metadata, as text', { tags: ['b'] }, withMetadata({ tags: 'a, B' }), true],
    ['tags: any', { tags: ['a', 'b'] }, aQuestion({ tags: ['b'] }), true],
    ['tags: all', { tags: ['a', 'b'], tagMatch: 'all' }, aQuestion({ tags: ['b'] }), false],
    [
      'tags: all there',
      { tags: ['a', 'b'], tagMatch: 'all' },
      aQuestion({ tags: ['b', 'A'] }),
      true,
    ],
    [
      'tags: as long as one may be',
      { tags: ['b'] },
      withMetadata({ tags: ['b'.padEnd(255)] }),
      true,
    ],
    ['tags: longer', { tags: ['b'] }, withMetadata({ tags: ['b'.padEnd(256)] }), false],
    ['tags: the fiftieth', { tags: ['b'] }, withMetadata({ tags: [...numbers(49), 'b'] }), true],
    ['tags: one more', { tags: ['b'] }, withMetadata({ tags: [...numbers(50), 'b'] }), false],
    ['tags: none asked for', { tags: ['a'] }, withMetadata({ tags: { a: 1 } }), false],
    ['text anywhere', { text: { pattern: 'inv.ice' } }, aQuestion(), true],
    ['text: with case', { text: { pattern: 'INVOICE' } }, aQuestion(), false],
    ['text: without case', { text: { pattern: 'INVOICE', ignoreCase: true } }, aQuestion(), true],
    ['text: anchored', { text: { pattern: '^invoice' } }, aQuestion(), false],
    ['metadata: a text', { metadata: { channel: 'web' } }, withMetadata({ channel: 'web' }), true],
    ['metadata: no coercion', { metadata: { n: 1 } }, withMetadata({ n: '1' }), false],
    ['metadata: one of a list', { metadata: { n: [1, 2] } }, withMetadata({ n: 2 }), true],
    [
      'metadata: an entry of a list',
      { metadata: { l: 'a' } },
      withMetadata({ l: ['b', 'a'] }),
      true,
    ],
    [
      'metadata: the 1000th',
      { metadata: { l: 'a' } },
      withMetadata({ l: [...numbers(999), 'a'] }),
      true,
    ],
    [
      'metadata: one more',
      { metadata: { l: 'a' } },
      withMetadata({ l: [...numbers(1000), 'a'] }),
      false,
    ],
    [
      'metadata: a path',
      { metadata: { 'a.b.c': true } },
      withMetadata({ a: { b: { c: true } } }),
      true,
    ],
    [
      'metadata: a key with dots',
      { metadata: { 'https://x.org/y.tier': 'gold' } },
      withMetadata({ 'https://x.org/y': { tier: 'gold' } }),
      true,
    ],
    ['metadata: every path', { metadata: { a: 1, b: 1 } }, withMetadata({ a: 1, b: 2 }), false],
    [
      'metadata: nothing inherited',
      { metadata: { 'constructor.name': 'Object' } },
      aQuestion(),
      false,
    ],
    ['several: each must hold', { organizations: ['acme'], scopes: ['push'] }, aQuestion(), false],
  ])('%s', (_, conditions, question, expected) => {
    expect(applies(conditions, question)).toBe(expected);
    expect(whyNot(conditions, question) === undefined).toBe(expected);
  });

  function numbers(length: number): string[] {
    return Array.from({ length }, (_, at) => String(at));
  }

  function withTypes(...inputTypes: string[]) {
    return aQuestion({ inputTypes });
  }

  function withMetadata(metadata: Record<string, unknown>) {
    return aQuestion({ metadata });
  }
});

describe('a set of rules', () => {
  const ids = (rules: Rule[], question = aQuestion()): string[] =>
    [...new RuleSet(rules).applying(question)].map(({ rule }) => rule.id);

  it('asks in order and leaves disabled rules out', () => {
    const rules = [aRule('off', { enabled: false }), aRule('b'), aRule('a')];
    expect(ids(rules)).toEqual(['b', 'a']);
  });

  it('answers tags that nobody carries with rules about tags alone', () => {
    const rules = [aRule('all'), aRule('tagged', { conditions: { tags: ['x'] } })];
    expect(ids(rules, aQuestion({ tags: ['x'] }))).toEqual(['tagged']);
    expect(ids(rules, aQuestion({ tags: ['y'] }))).toEqual([]);
    expect(ids(rules, aQuestion())).toEqual(['all']);
  });

  it('explains in sentences why a rule applies and why another does not', () => {
    const question = aQuestion({ metadata: { tier: 'gold' } });
    const set = new RuleSet([
      aRule('vip', { conditions: { organizations: ['umbrella', 'stark'], scopes: ['push'] } }),
      aRule('off', { enabled: false }),
      aRule('billing', {
        name: 'Billing',
        conditions: {
          organizations: ['acme'],
          metadata: { tier: ['gold', 'silver'] },
          text: { pattern: 'INVOICE', ignoreCase: true },
        },
      }),
      aRule('rest'),
    ]);
    const [vip, off, billing, rest] = set.numbered;
    expect(set.whyNot(vip!, question)).toBe(
      'The organization is "acme", not umbrella or stark; the caller does not hold the scope push.',
    );
    expect(set.whyNot(off!, question)).toBe('It is disabled.');
    expect(set.why(billing!, question)).toBe(
      'Rule "Billing" (no. 3): the organization is "acme", and its metadata "tier" is "gold", and the text has "invoice".',
    );
    expect(set.why(rest!, question)).toBe('Rule "rest" (no. 4): it has no conditions.');
  });

  it('reads what a message brings once for all rules, however much it is', () => {
    const values = Array.from({ length: 100 }, (_, at) => `value ${at}`);
    const rules = Array.from({ length: 500 }, (_, at) =>
      aRule(`r${at}`, { conditions: at % 2 ? { tags: values } : { metadata: { list: values } } }),
    );
    const set = new RuleSet(rules);
    const tags = Array.from({ length: 50 }, () => 'Aé'.repeat(100_000));
    const list = Array.from({ length: 200_000 }, (_, at) => `entry ${at}`);
    const before = performance.now();
    expect([...set.applying(aQuestion({ metadata: { tags, list } }))]).toEqual([]);
    // Each anew for each rule took a minute.
    expect(performance.now() - before).toBeLessThan(1000);
  });

  it('looks at the text only when all else holds', () => {
    const text = { pattern: 'x' };
    let looks = 0;
    const question = {
      ...aQuestion(),
      get text() {
        looks++;
        return 'x';
      },
    };
    const other = new RuleSet([aRule('r', { conditions: { organizations: ['other'], text } })]);
    expect([...other.applying(question)]).toEqual([]);
    expect(looks).toBe(0);
    expect([
      ...new RuleSet([aRule('r', { conditions: { text } })]).applying(question),
    ]).toHaveLength(1);
    expect(looks).toBe(1);
  });

  const condition = fc.record(
    {
      organizations: fc.subarray(['acme', 'umbrella'], { minLength: 1 }),
      inputTypes: fc.subarray(['image/*', 'text/plain', 'audio/ogg'], { minLength: 1 }),
      tags: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
      tagMatch: fc.constantFrom('all' as const, 'any' as const),
      text: fc.record({ pattern: fc.constantFrom('invoice', '^x', '\\d+') }),
      metadata: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom(1, 'v'), { minKeys: 1 }),
    },
    { requiredKeys: [] },
  );
  const question = fc.record({
    organization: fc.constantFrom('acme', 'umbrella', 'stark'),
    inputTypes: fc.subarray(['image/png', 'text/plain', 'audio/ogg']),
    tags: fc.subarray(['a', 'b', 'c']),
    text: fc.constantFrom('', 'x 12', 'an invoice'),
    metadata: fc.dictionary(fc.constantFrom('k', 'l', 'tags'), fc.constantFrom(1, 'v', 'a,b')),
  });

  it('agrees with its own explanation, for every rule and every message', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 6 }), question, (conditions, requested) => {
        const { organization, ...rest } = requested;
        const principal = { id: 'p', organization, scopes: new Set(['a2a'] as const) };
        const set = new RuleSet(conditions.map((each, i) => aRule(`r${i}`, { conditions: each })));
        const full = aQuestion({ ...rest, principal });
        const applying = [...set.applying(full)].map(({ no }) => no);
        const explained = set.numbered.filter((each) => set.whyNot(each, full) === undefined);
        expect(explained.map(({ no }) => no)).toEqual(applying);
      }),
    );
  });

  it('never applies to more when a condition is added', () => {
    fc.assert(
      fc.property(condition, condition, question, (one, more, requested) => {
        const { organization, ...rest } = requested;
        const principal = { id: 'p', organization, scopes: new Set(['a2a'] as const) };
        const full = aQuestion({ ...rest, principal, tags: [] });
        const { tagMatch, ...added } = more;
        const both = { ...added, ...(one.tags === undefined && { tagMatch }), ...one };
        if (applies(both, full)) expect(applies(one, full)).toBe(true);
      }),
    );
  });
});
