import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentSkill } from '../../protocol/a2a.js';
import { TextIndex, type TextMatch, type TextSource } from './text-index.js';

const skill = (id: string, fields: Partial<AgentSkill>): AgentSkill => ({
  id,
  name: '',
  description: '',
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
  ...fields,
});

const source = (agentId: string, skills: AgentSkill[], tags: string[] = []): TextSource => ({
  key: agentId,
  agentId,
  skills,
  tags,
  stamp: [JSON.stringify([skills, tags])],
});

const CSV = source('csv', [
  skill('profile', {
    name: 'CSV profiler',
    description: 'Describes the columns of a table: types, gaps, outliers.',
    tags: ['csv', 'data'],
    examples: ['Profile this file'],
  }),
  skill('clean', { name: 'CSV cleaner', description: 'Repairs broken rows.', tags: ['csv'] }),
]);
const WEATHER = source('weather', [
  skill('forecast', {
    name: 'Weather forecast',
    description: 'Tells whether it will rain.',
    tags: ['weather'],
    examples: ['Will it rain in Paris tomorrow?'],
  }),
]);
const JAPANESE = source('ja', [
  skill('translate', {
    name: '日本語翻訳',
    description: '文書を日本語に翻訳します。',
    tags: ['翻訳'],
  }),
]);

function indexOf(...sources: TextSource[]): TextIndex {
  const index = new TextIndex();
  index.sync(sources);
  return index;
}

const find = (index: TextIndex, text: string): string[] =>
  index.search(text).map(({ agentId, skillId }) => `${agentId}.${skillId}`);

describe('the text match', () => {
  const index = indexOf(CSV, WEATHER, JAPANESE);

  it('finds the skill a plain sentence means, with the words that say so', () => {
    const [best] = index.search('Could you profile these columns for me?');
    expect(best).toMatchObject({
      agentId: 'csv',
      skillId: 'profile',
      words: ['profile', 'columns'],
    });
    expect(best!.score).toBeGreaterThan(0.5);
    expect(find(index, 'is it going to be raining?')[0]).toBe('weather.forecast');
    expect(find(index, 'この文書を翻訳してください')).toEqual(['ja.translate']);
  });

  it('finds nobody for words that no skill has', () => {
    expect(find(index, 'Write a poem about my cat')).toEqual([]);
    expect(find(index, '')).toEqual([]);
    expect(find(index, 'constructor __proto__ toString hasOwnProperty')).toEqual([]);
    expect(find(new TextIndex(), 'csv')).toEqual([]);
  });

  it('gives everything that has a word, the best skill first, however many agents have the same', () => {
    const replicas = Array.from({ length: 40 }, (_, i) =>
      source(`replica-${i}`, [skill('t', { name: 'Translate text' })]),
    );
    const crowd = Array.from({ length: 26 }, (_, i) =>
      skill(`t${i}`, { name: `Translate b${i}0` }),
    );
    const many = indexOf(...replicas, source('crowd', crowd)).search('translate text');
    expect(new Set(many.map(({ agentId }) => agentId)).size).toBe(41);
    expect(new Set(many.slice(0, 40).map(({ score }) => score)).size).toBe(1);
  });

  it('scores from 0 to 1: a name says more than a description, and other subjects raise doubt', () => {
    const score = (text: string): number =>
      index.search(text).find(({ agentId }) => agentId === 'weather')?.score ?? 0;
    expect(score('forecast')).toBeGreaterThan(score('tells'));
    expect(score('forecast')).toBeGreaterThan(score('forecast csv rows columns'));
    expect(score('forecast weather rain Paris tomorrow')).toBeLessThan(1);
  });

  it('counts agents with the very same skill once, so that copies do not devalue each other', () => {
    const copies = Array.from({ length: 20 }, (_, i) => ({
      ...CSV,
      key: `copy-${i}`,
      agentId: `copy-${i}`,
    }));
    const alone = indexOf(CSV, WEATHER).search('profile columns')[0];
    const among = indexOf(...copies, WEATHER).search('profile columns');
    expect(among.filter(({ skillId }) => skillId === 'profile')).toHaveLength(20);
    expect(among[0]).toMatchObject({ agentId: 'copy-0', score: alone!.score });
  });

  it('names one of the skills of an agent that say the same, the first by its id as long as it is there', () => {
    const named = (...ids: string[]): TextSource =>
      source(
        'many',
        ids.map((id) => skill(id, { name: 'Weather oracle' })),
      );
    const all = indexOf(named('c', 'a', 'b'), WEATHER);
    expect(find(all, 'oracle')).toEqual(['many.a']);
    all.sync([named('c', 'b'), WEATHER]);
    expect(find(all, 'oracle')).toEqual(['many.b']);
    all.sync([named('c', 'b', 'd'), WEATHER]);
    expect(find(all, 'oracle')).toEqual(['many.b']);
    all.sync([WEATHER]);
    expect(find(all, 'oracle')).toEqual([]);
  });

  it('takes the tags of the operator for tags of each skill', () => {
    expect(
      find(indexOf(source('ops', [skill('run', { name: 'Run' })], ['kubernetes'])), 'Kubernetes'),
    ).toEqual(['ops.run']);
  });

  it('finds one request at the end of a long paste', () => {
    const paste = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ');
    expect(find(index, `${paste}\nPlease make a forecast of the weather.`)).toEqual([
      'weather.forecast',
    ]);
  });

  it('finds the right one of 500 skills', () => {
    const verbs = ['translate', 'summarize', 'validate', 'convert', 'predict', 'encrypt', 'merge'];
    const things = Array.from(
      { length: 72 },
      (_, i) => `thing${String.fromCharCode(97 + (i % 26))}${i}`,
    );
    const sources = verbs.flatMap((verb) =>
      things.map((thing) =>
        source(`${verb}-${thing}`, [
          skill('s', {
            name: `${verb} ${thing}`,
            description: `Can ${verb} any ${thing} you send.`,
          }),
        ]),
      ),
    );
    const large = indexOf(...sources);
    for (const { agentId, skills } of sources.filter((_, i) => i % 8 === 0)) {
      expect(find(large, `Hello, please ${skills[0]!.name} for my boss`)[0]).toBe(`${agentId}.s`);
    }
  });
});

describe('the index', () => {
  const words = ['csv', 'rain', 'code', 'legal', 'image', 'audio', '翻訳'];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' '));
  const anySkill = fc
    .record({
      name: text,
      description: text,
      tags: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
    })
    .map((fields) => fields);
  const registry = fc
    .uniqueArray(
      fc.record({
        agentId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        skills: fc.array(anySkill, { maxLength: 3 }),
        tags: fc.array(fc.constantFrom(...words), { maxLength: 1 }),
      }),
      { selector: ({ agentId }) => agentId },
    )
    .map((agents) =>
      agents.map(({ agentId, skills, tags }) =>
        source(
          agentId,
          skills.map((fields, i) => skill(`s${i}`, fields)),
          tags,
        ),
      ),
    );
  const everything = (index: TextIndex): TextMatch[][] =>
    [...words, words.join(' '), 'csv rain', 'legal audio code'].map((query) => index.search(query));

  it('that followed any changes answers like one made anew', () => {
    fc.assert(
      fc.property(fc.array(registry, { minLength: 1, maxLength: 6 }), (states) => {
        const followed = new TextIndex();
        states.forEach((state) => followed.sync(state));
        expect(everything(followed)).toEqual(everything(indexOf(...states.at(-1)!)));
      }),
      { numRuns: 50 },
    );
  });

  it('finds what is there before and after, while it follows in pieces', () => {
    const index = indexOf(CSV, WEATHER);
    const more = Array.from({ length: 5 }, (_, i) =>
      source(`more-${i}`, [skill('s', { name: `Thing${i}xx` })]),
    );
    for (const written of index.following([CSV, ...more])) {
      expect(written).toBe(1);
      expect(find(index, 'csv')[0]).toBe('csv.clean');
    }
    expect(find(index, 'weather')).toEqual([]);
  });

  it('does not look at sources whose stamp is the same', () => {
    const index = indexOf(CSV);
    const silent = {
      ...CSV,
      get skills(): never {
        throw new Error('looked at');
      },
    };
    expect(() => index.sync([silent])).not.toThrow();
    expect(() => index.sync([{ ...silent, stamp: ['changed'] }])).toThrow('looked at');
  });
});
