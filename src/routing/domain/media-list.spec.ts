import { describe, expect, it, jest } from '@jest/globals';
import { RouteChooser } from './choose.js';
import { aRoutableAgent, aSkill, questionTo } from './fake-question.js';
import { namedList } from '../../common/named-list.js';
import { MediaList } from './media-list.js';

const meets = (one: string[], other: string[]): boolean =>
  MediaList.of(one).meets(MediaList.of(other));

describe('media types', () => {
  it.each([
    ['image/png', 'image/png', true],
    ['image/png', 'IMAGE/PNG; q=1', true],
    [' image/png ', 'image/png', true],
    ['image/*', 'image/png', true],
    ['image/*;q=0.5', 'image/png', true],
    ['*/*', 'image/png', true],
    ['*/*', '*/*', true],
    ['image/*', '*/*', true],
    ['image/*', 'image/*', true],
    ['image/png', 'image/jpeg', false],
    ['image/*', 'text/plain', false],
    ['image/*', 'text/*', false],
    ['*', 'text/plain', false],
    ['/*', 'text', false],
    ['', 'text/plain', false],
  ])('%j and %j meet: %j', (one, other, expected) => {
    expect(meets([one], [other])).toBe(expected);
    expect(meets([other], [one])).toBe(expected);
    expect(meets(['x/y', one], ['z/z', other])).toBe(expected);
  });

  it('meet nothing where there are none', () => {
    expect(meets([], ['*/*'])).toBe(false);
    expect(meets(['*/*'], [])).toBe(false);
  });

  it('are told apart, by those that are taken, as they are written', () => {
    const ranges = MediaList.of(['image/*', 'text/plain']);
    const types = MediaList.of(['Image/PNG', 'audio/ogg', 'text/plain;charset=utf-8']);
    expect(ranges.takenOf(types)).toEqual(['Image/PNG', 'text/plain;charset=utf-8']);
    expect(ranges.refusedOf(types)).toEqual(['audio/ogg']);
  });

  it('are named in a sentence up to ten, and long ones in part', () => {
    expect(namedList(['a/b', 'c/d'])).toBe('a/b, c/d');
    expect(namedList(['x'.repeat(201)])).toBe(`${'x'.repeat(200)}…`);
    const many = Array.from({ length: 12 }, (_, at) => `t/${at}`);
    expect(namedList(many)).toBe(`${many.slice(0, 10).join(', ')} and 2 more`);
  });
});

describe('a message that names many long media types', () => {
  const long = (kind: string, length: number): string[] =>
    Array.from({ length }, (_, at) => `${kind}/${at}-`.padEnd(4096, 'x'));
  const modes = { inputModes: ['text/plain'], outputModes: ['text/plain', 'text/csv'] };
  const skills = Array.from({ length: 500 }, (_, at) => aSkill(`s${at}`, ['data'], modes));
  const agents = [
    aRoutableAgent('big', skills, {
      card: { skills, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    }),
    ...skills.map((skill, at) => aRoutableAgent(`a${at}`, [skill])),
  ];
  const mediaOf = () => ({ input: long('image', 50), output: long('video', 100) });

  /** How often a text of more than a thousand characters is made lower case meanwhile. */
  function countedWork(choose: () => void): number {
    const lower = jest.spyOn(String.prototype, 'toLowerCase');
    try {
      choose();
      return lower.mock.contexts.filter((text) => String(text).length > 1000).length;
    } finally {
      lower.mockRestore();
    }
  }

  it('costs little for each skill that it is compared with, and so do the reasons', () => {
    const directive = { tags: ['data', 'other'], match: 'any' } as const;
    const choose = () =>
      new RouteChooser(questionTo(agents, { directive, media: mediaOf() })).named();
    expect(countedWork(choose)).toBeLessThanOrEqual(150);
    const [first] = choose()?.chosen ?? [];
    expect(first?.why).toContain('and 40 more among its inputs.');
    expect(first?.why.length).toBeLessThan(5000);
  });

  it('is refused in a sentence', () => {
    const directive = { agentId: 'big' };
    const choose = () => {
      const media = { ...mediaOf(), isEnforced: true };
      expect(() => new RouteChooser(questionTo(agents, { directive, media })).named()).toThrow(
        expect.objectContaining({
          reason: 'CONTENT_TYPE_NOT_SUPPORTED',
          message: expect.stringMatching(/^.{100,5000}$/),
        }),
      );
    };
    expect(countedWork(choose)).toBeLessThanOrEqual(150);
  });
});
