import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadCedar } from './cedar.js';
import { statementsIn } from './cedar-text.js';
import { warningsOf } from './domain/agent-alone.js';
import { forbidsAll } from './domain/for-all.js';

beforeAll(() => loadCedar());

const warningsOfText = async (text: string): Promise<readonly string[]> =>
  warningsOf((await statementsIn(text)) ?? []);

const forbid = (scope: string, rest = ''): string =>
  `forbid(principal, action == Action::"SendMessage", resource${scope})${rest};`;
const permit = (scope: string, rest = ''): string =>
  forbid(scope, rest).replace('forbid', 'permit');
const OPEN =
  'Statement 1 is about Agent::"x" by its name alone: none of its skills is forbidden by it.';

describe('what a policy most likely means otherwise', () => {
  it.each<[string, string[]]>([
    [forbid(' == Agent::"x"'), [OPEN]],
    [forbid('', ' when { resource == Agent::"x" }'), [OPEN]],
    [forbid('', ' when { Agent::"x" == resource }'), [OPEN]],
    [forbid('', ' when { principal in Group::"g" && (resource == Agent::"x" && true) }'), [OPEN]],
    [forbid('', ' when { true } when { resource == Agent::"x" }'), [OPEN]],
    [forbid(' == Agent::"x"', ' unless { principal in Group::"g" }'), [OPEN]],
    // Here the skills are forbidden or permitted, or nothing can be said of them.
    [forbid('', ' unless { resource == Agent::"x" }'), []],
    [forbid('', ' unless { principal in Group::"g" && resource == Agent::"x" }'), []],
    [permit('', ' unless { resource == Agent::"x" }'), []],
    [permit('', ' unless { [Agent::"x"].contains(resource) }'), []],
    [permit('', ' when { !(resource == Agent::"x") }'), []],
    [permit('', ' when { true && !(resource == Agent::"x" && principal in Group::"g") }'), []],
    [forbid('', ' when { resource == Agent::"x" || resource in Agent::"x" }'), []],
    [forbid('', ' when { true && (resource in Agent::"x" || resource == Agent::"x") }'), []],
    [forbid('', ' when { if resource == Agent::"x" then false else true }'), []],
    [forbid('', ' when { (resource == Agent::"x") == false }'), []],
    [forbid('', ' when { resource != Agent::"x" }'), []],
    [
      forbid('', ' when { [Agent::"x", Agent::"y"].contains(resource) }'),
      [OPEN, 'Statement 1 is about Agent::"y"'],
    ],
    [
      permit(' == Agent::"x"'),
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

describe('a policy that forbids to all', () => {
  it.each([
    ['forbid (principal, action, resource);', 'no operation is allowed any more.'],
    [forbid(''), 'none of the operations that it names is allowed any more.'],
  ])('is warned of: %s', async (text, what) => {
    expect(forbidsAll((await statementsIn(text)) ?? [])).toEqual([
      `Statement 1 is about every caller and every agent: where the policy applies, ${what}`,
    ]);
  });

  it.each([
    permit(''),
    forbid(' == Agent::"x"'),
    forbid('', ' when { principal in Group::"g" }'),
    'forbid (principal in Organization::"acme", action, resource);',
  ])('is not one like this: %s', async (text) => {
    expect(forbidsAll((await statementsIn(text)) ?? [])).toEqual([]);
  });
});
