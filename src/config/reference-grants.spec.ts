import { describe, expect, it } from '@jest/globals';
import { referenceGrants } from './reference-grants.js';

type Kind = Parameters<typeof referenceGrants>[0];

const setting = (kind: Kind) => referenceGrants(kind, { default: [], description: '' });
const faultsOf = (kind: Kind, ...list: unknown[]): readonly string[] =>
  setting(kind)
    .faults(list)
    .map((fault) => fault.replace(/^(\S+).*?(\{organization\}\/\*|both).*/, '$1 $2'));

describe('what may be referred to by organizations', () => {
  it.each<[Kind, unknown[]]>([
    [
      'name',
      ['AGENT_*', 'TOKEN', '{organization}_TOKEN', '{organization}_KEY', 'x:{organization}'],
    ],
    ['name', ['team/{organization}/*', 'team/{organization}/x', 'of/{organization}-x/*']],
    ['name', ['arn:aws:sm:eu-1:1:secret:{organization}/*', '{organization}/*', '{organization}']],
    ['name', ['team/{organization}/a*', 'team/{organization}-x/b', 'team/{organization}-y/c*']],
    ['path', ['teams/{organization}/a', 'teams/{organization}-x/ab']],
    ['directory', ['/run/{organization}', '/run/{organization}/x', '/run/a {organization}']],
    [
      'path',
      ['teams/{organization}', 'a-{organization}', 'b-{organization}', 'x/{organization}-c'],
    ],
  ])('is what has their name in a place of its own: %s %j', (kind, list) => {
    expect(setting(kind).faults(list)).toEqual([]);
    expect(setting(kind).read(list, 'file')).toHaveLength(list.length);
  });

  it.each([
    'team-{organization}-*',
    'TEAM_{organization}_*',
    '{organization}*',
    'team/{organization}.*',
    'team/{organization}-x*',
  ])('is not what begins with the name of another: %s', (allow) => {
    expect(faultsOf('name', 'x', allow)).toEqual(['[1]: {organization}/*']);
    expect(faultsOf('name', { allow, organizations: ['acme'] })).toEqual(['[0]: {organization}/*']);
    expect(setting('name').read([allow], 'file')).toBeUndefined();
    expect(setting('name').read(allow, 'environment')).toBeUndefined();
    expect(setting('name').faults(allow)).toEqual([
      expect.stringMatching(/what is of acme-eu, too/),
    ]);
  });

  it.each<[Kind, string, string]>([
    ['name', 'team-{organization}', '{organization}-x'],
    ['name', 'team-{organization}', 'team-{organization}-x'],
    ['name', 'T_{organization}', 'T_A_{organization}'],
    ['name', 'team/{organization}/*', 'team/{organization}-x/*'],
    ['name', 'team/{organization}-x/a', 'team/{organization}/a*'],
    ['name', 'team/{organization}-x/*', 'team/{organization}/ab'],
    ['name', 'team/{organization}/ab*', 'team/{organization}-x/a*'],
    ['path', 'teams/{organization}', 'teams/{organization}-agents'],
    ['path', 'teams/{organization}-agents/x', 'teams/{organization}'],
    ['directory', '/run/{organization}', '/run/team-{organization}/agents'],
  ])('is not what two entries give to two of them: %s %s %s', (kind, one, other) => {
    expect(faultsOf(kind, one, '/x'.slice(kind === 'directory' ? 0 : 1), other)).toEqual([
      '[2]: both',
    ]);
  });
});
