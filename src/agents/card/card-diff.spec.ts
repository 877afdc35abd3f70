import { describe, expect, it } from '@jest/globals';
import type { CardSignature } from '../agent.js';
import { diffCards } from './card-diff.js';
import { parseCard } from './parse-card.js';

const UNSIGNED: CardSignature = {
  outcome: 'unsigned',
  keyId: null,
  algorithm: null,
  keySource: null,
  keyThumbprint: null,
  wasVerified: false,
  reason: '',
};

const card = (changes: object = {}, signature: Partial<CardSignature> = {}) => ({
  card: parseCard({
    name: 'A',
    url: 'http://a.example/',
    skills: [{ id: 's', tags: ['x'] }],
    ...changes,
  }),
  signature: { ...UNSIGNED, ...signature },
});

describe('diffCards', () => {
  it('finds nothing between equal cards', () => {
    expect(diffCards(card(), card())).toEqual([]);
    const schemes = (...names: string[]) => ({
      securitySchemes: Object.fromEntries(names.map((n) => [n, { type: 'mutualTLS' }])),
    });
    expect(diffCards(card(schemes('a', 'b')), card(schemes('b', 'a')))).toEqual([]);
  });

  it('tells members that came, went and changed', () => {
    const before = card({ description: 'old', version: '1' });
    const after = card({ description: 'new', iconUrl: 'https://a.example/icon' });
    expect(diffCards(before, after)).toEqual([
      { field: 'description', change: 'changed', before: 'old', after: 'new' },
      { field: 'iconUrl', change: 'added', after: 'https://a.example/icon' },
      { field: 'version', change: 'removed', before: '1' },
    ]);
  });

  it('tells skills by their id, whatever their order', () => {
    const before = card({ skills: [{ id: 'a' }, { id: 'b', tags: ['x'] }, { id: 'c' }] });
    const after = card({ skills: [{ id: 'c' }, { id: 'b', tags: ['y'] }, { id: 'd' }] });
    expect(diffCards(before, after).map(({ change, field }) => `${change} ${field}`)).toEqual([
      'removed skills[a]',
      'changed skills[b].tags',
      'added skills[d]',
    ]);
  });

  it('tells another signing key, but not that the same key has signed again', () => {
    const signed = (signature: string) => ({ signatures: [{ protected: 'e30', signature }] });
    const first = { outcome: 'verified', keyId: 'k', keyThumbprint: 'one' } as const;
    const before = card(signed('a'), first);
    expect(diffCards(before, card(signed('b'), first))).toEqual([]);
    const after = card(signed('b'), { ...first, keyThumbprint: 'two' });
    expect(diffCards(before, after)).toEqual([
      {
        field: 'signature',
        change: 'changed',
        before: first,
        after: { ...first, keyThumbprint: 'two' },
      },
    ]);
  });
});
