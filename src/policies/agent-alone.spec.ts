import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadCedar } from './cedar.js';
import { warningsOfText } from './check-policy.js';

beforeAll(() => loadCedar());

const forbid = (scope: string, rest = ''): string =>
  `forbid(principal, action == Action::"SendMessage", resource${scope})${rest};`;
const OPEN =
  'Statement 1 is about Agent::"x" by its name alone: its skills can still be requested.';

describe('what a policy most likely means otherwise', () => {
  it.each<[string, string[]]>([
    [forbid(' == Agent::"x"'), [OPEN]],
    [forbid('', ' when { resource == Agent::"x" }'), [OPEN]],
    [forbid('', ' when { Agent::"x" == resource }'), [OPEN]],
    [forbid('', ' unless { resource == Agent::"x" && principal in Group::"g" }'), [OPEN]],
    [
      forbid('', ' when { [Agent::"x", Agent::"y"].contains(resource) }'),
      [OPEN, 'Statement 1 is about Agent::"y"'],
    ],
    [
      'permit(principal, action == Action::"SendMessage", resource == Agent::"x");',
      [
        'none of its skills is permitted by it. For the agent and all its skills write "resource in Agent::"x"".',
      ],
    ],
    [`${forbid(' in Tag::"t"')}${forbid(' == Agent::"x"')}`, ['Statement 2 is about Agent::"x"']],
    [forbid(' in Agent::"x"'), []],
    [forbid(' == Skill::"x.y"'), []],
    [forbid('', ' when { resource in [Agent::"x"] }'), []],
    [forbid('', ' when { principal == Caller::"x" }'), []],
    ['forbid(', []],
  ])('%s', async (text, expected) => {
    const warnings = await warningsOfText(text);
    expect(warnings).toEqual(expected.map((each) => expect.stringContaining(each)));
  });

  it('is said of 20 agents at most', async () => {
    const agents = Array.from({ length: 30 }, (_, i) => `Agent::"a${i}"`).join(', ');
    const text = forbid('', ` when { [${agents}].contains(resource) }`);
    expect(await warningsOfText(text)).toHaveLength(20);
  });
});
