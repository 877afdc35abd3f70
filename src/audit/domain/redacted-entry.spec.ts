import { describe, expect, it } from '@jest/globals';
import { type AuditEntry, NO_CALLER } from '../audit-entry.js';
import { redactedEntry, type RedactionRules } from './redacted-entry.js';

const ENTRY: AuditEntry = {
  action: 'principals.update',
  outcome: 'succeeded',
  actor: { ...NO_CALLER, principal: 'alice', onBehalfOf: 'bob' },
  resource: { type: 'principals', id: 'carol' },
  requestId: 'r1',
  policy: null,
  details: { address: '192.0.2.7', made: 'dave', status: 200 },
};
const digest = (id: string): string => `~${id}`;
const redacted = (rules: Partial<RedactionRules>, entry: Partial<AuditEntry> = {}): AuditEntry => {
  const all: RedactionRules = { address: 'keep', principals: 'id', resourceIds: [], ...rules };
  return redactedEntry({ ...ENTRY, ...entry }, all, all.principals === 'id' ? (id) => id : digest);
};

it('keeps an entry of which nothing is to be left out', () => {
  expect(redacted({})).toEqual(ENTRY);
});

it('tells of an address its network, or nothing', () => {
  expect(redacted({ address: 'network' }).details.address).toBe('192.0.2.0/24');
  expect(redacted({ address: 'omit' }).details).toEqual({ made: 'dave', status: 200 });
});

it('writes digests for principals wherever they stand', () => {
  expect(redacted({ principals: 'digest' })).toMatchObject({
    actor: { principal: '~alice', onBehalfOf: '~bob' },
    resource: { id: '~carol' },
    details: { made: '~dave' },
  });
  expect(redacted({ principals: 'digest' }, { actor: NO_CALLER }).actor).toEqual(NO_CALLER);
});

describe('ids of resources', () => {
  it('are left out for the listed types alone', () => {
    const { resource, details } = redacted({ resourceIds: ['principals'] });
    expect(resource).toEqual({ type: 'principals', id: null });
    expect(details).not.toHaveProperty('made');
    expect(redacted({ resourceIds: ['keys'] })).toEqual(ENTRY);
  });

  it('of agents are left out of the delegations of a task as well', () => {
    const delegation = {
      agent: 'a',
      skill: 's',
      state: 'x',
      calls: 1,
      begunAt: null,
      changedAt: '',
    };
    const entry = { resource: { type: 'tasks', id: 't' }, details: { delegations: [delegation] } };
    expect(redacted({ resourceIds: ['agents'] }, entry)).toMatchObject({
      resource: { id: 't' },
      details: { delegations: [{ agent: null, skill: 's', calls: 1 }] },
    });
  });
});

it('of a limit tells whose it is as it tells that elsewhere', () => {
  const limit = { kind: 'openTasks', principal: 'erin', agent: 'a', skill: 'a.s' };
  const entry = { details: { limit } };
  expect(redacted({}, entry).details).toEqual({ limit });
  const rules = { principals: 'digest', resourceIds: ['agents'] } as const;
  expect(redacted(rules, entry).details.limit).toEqual({ kind: 'openTasks', principal: '~erin' });
});
