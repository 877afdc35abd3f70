import { describe, expect, it } from '@jest/globals';
import { diffCards } from './card-diff.js';
import { parseCard } from './parse-card.js';

const card = (changes: object = {}) =>
  parseCard({
    name: 'A',
    url: 'http://a.example/',
    skills: [{ id: 's', tags: ['x'] }],
    ...changes,
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
});
