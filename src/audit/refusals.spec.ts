import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { FakeAuditLog } from './fake-audit-log.js';
import { type EndedCall, Refusals } from './refusals.js';

const SILENT = { warn() {}, info() {} } as unknown as Log;

let audit: FakeAuditLog;
let refusals: Refusals;

beforeEach(() => {
  audit = new FakeAuditLog();
  refusals = new Refusals(audit, new SystemClock(), SILENT);
});

afterEach(() => refusals.beforeApplicationShutdown());

function refused(fields: Partial<EndedCall> = {}): EndedCall {
  return {
    note: { id: 'r1', reason: 'UNAUTHENTICATED', refusal: { cause: 'unknown-key' } },
    caller: null,
    to: { method: 'POST', route: '/a2a' },
    address: '192.0.2.1',
    ...fields,
  };
}

describe('a refused call', () => {
  it('has an entry at once that says why, and from where', () => {
    refusals.ended(refused());
    expect(audit.entries).toEqual([
      expect.objectContaining({
        ...{ action: 'auth.sign-in', outcome: 'refused', requestId: 'r1' },
        details: {
          ...{ reason: 'UNAUTHENTICATED', cause: 'unknown-key' },
          ...{ route: 'POST /a2a', address: '192.0.2.1' },
        },
      }),
    ]);
  });

  it('is told with who it was when that is known', () => {
    const note = { id: 'r2', reason: 'PERMISSION_DENIED', refusal: { scope: 'admin' } } as const;
    refusals.ended(refused({ note, caller: { id: 'p', organization: 'o', keyId: 'k' } }));
    expect(audit.entries[0]).toMatchObject({
      action: 'auth.access',
      actor: { principal: 'p', organization: 'o', credential: 'k' },
      details: { scope: 'admin' },
    });
    const chain = { hub: 'h' };
    refusals.ended(refused({ note, caller: { id: 'p', organization: 'o', chain } }));
    expect(audit.entries[1]).toMatchObject({ actor: { principal: 'h', onBehalfOf: 'p' } });
  });

  it('is told with the policies that refused it, whatever the caller was told', () => {
    const refusal = { cause: 'policy', policy: 'no-books' } as const;
    refusals.ended(refused({ note: { id: 'r3', reason: 'NO_ROUTE', refusal } }));
    const other = { ...refusal, policy: 'no-finance' };
    refusals.ended(refused({ note: { id: 'r4', reason: 'NO_ROUTE', refusal: other } }));
    expect(audit.entries.map(({ action, policy }) => [action, policy])).toEqual([
      ['auth.access', 'no-books'],
      ['auth.access', 'no-finance'],
    ]);
  });

  it('is none of those that were refused for something else, or not at all', () => {
    refusals.ended(refused({ note: { id: 'r' } }));
    for (const reason of ['UNAVAILABLE', 'AGENT_BUSY', 'INVALID_PARAMS', 'NO_ROUTE'] as const) {
      refusals.ended(refused({ note: { id: 'r', reason } }));
    }
    expect(audit.entries).toEqual([]);
  });
});

describe('a call that a limit refused', () => {
  const caller = { id: 'p', organization: 'acme', keyId: 'k' };
  const limit = { kind: 'tasksPerDay', organization: 'acme' };
  const call = (fields: Partial<EndedCall> = {}): EndedCall => ({
    note: { id: 'r1', operation: 'SendMessage', reason: 'QUOTA_EXCEEDED', refusal: { limit } },
    caller,
    to: { method: 'POST', route: '/a2a' },
    address: '192.0.2.1',
    ...fields,
  });

  it('has an entry at once that says which limit, of whom, and who asked what', () => {
    refusals.ended(call());
    expect(audit.entries).toEqual([
      expect.objectContaining({
        ...{ action: 'limits.exceed', outcome: 'refused', requestId: 'r1' },
        actor: expect.objectContaining({ principal: 'p', organization: 'acme', credential: 'k' }),
        details: {
          ...{ reason: 'QUOTA_EXCEEDED', limit, operation: 'SendMessage' },
          ...{ route: 'POST /a2a', address: '192.0.2.1' },
        },
      }),
    ]);
  });

  it('is two entries a minute of a caller and a limit, whatever it asked and from where', async () => {
    for (let n = 0; n < 10_000; n++) {
      const { note } = call();
      refusals.ended(
        call({
          note: { ...note, id: `r${n}`, operation: n % 2 ? 'SendMessage' : 'GetTask' },
          to: { method: 'POST', route: `/a2a/${n % 7}` },
          address: `10.0.${n >> 8}.${n & 255}`,
        }),
      );
    }
    await refusals.writeCounts();
    expect(audit.entries).toHaveLength(2);
    expect(audit.entries[1]).toMatchObject({
      ...{ action: 'limits.exceed', requestId: null, actor: { principal: 'p' } },
      details: { reason: 'QUOTA_EXCEEDED', limit, count: 9999, firstAt: expect.any(String) },
    });
    expect(Object.keys(audit.entries[1]!.details)).not.toContain('route');
  });

  it('is told apart by caller, also behind another hub, and by limit', () => {
    const other = { kind: 'tasksPerDay', agent: 'a' };
    const rate = { id: 'r', reason: 'RATE_LIMITED', refusal: { limit } } as const;
    refusals.ended(call());
    refusals.ended(call({ caller: { ...caller, id: 'q' } }));
    refusals.ended(call({ caller: { ...caller, chain: { hub: 'h' } } }));
    refusals.ended(call({ caller: { ...caller, id: 'q', chain: { hub: 'h' } } }));
    refusals.ended(call({ note: { ...rate, refusal: { limit: other } } }));
    refusals.ended(call({ note: rate }));
    expect(audit.entries).toHaveLength(6);
  });

  it('of ever new callers is bounded, and hides no failed sign-in', async () => {
    for (let n = 0; n < 10_000; n++) refusals.ended(call({ caller: { ...caller, id: `p${n}` } }));
    expect(audit.entries).toHaveLength(101);
    refusals.ended(refused());
    expect(audit.entries.at(-1)).toMatchObject({ action: 'auth.sign-in', requestId: 'r1' });
    await refusals.writeCounts();
    expect(audit.entries.at(-1)).toMatchObject({
      actor: { principal: null, organization: null },
      details: { reason: 'QUOTA_EXCEEDED', limit: { kind: 'tasksPerDay' }, count: 9899 },
    });
  });
});

describe('a flood of refused calls', () => {
  it('is two entries a minute where they are alike', async () => {
    for (let i = 0; i < 10_000; i++) refusals.ended(refused());
    await refusals.writeCounts();
    expect(audit.entries.map(({ details }) => details.count)).toEqual([undefined, 9999]);
    await refusals.writeCounts();
    expect(audit.entries).toHaveLength(2);
  });

  it('is bounded where they are not', async () => {
    for (let i = 0; i < 10_000; i++) {
      refusals.ended(refused({ address: `10.${i >> 8}.${i & 255}.1` }));
    }
    expect(audit.entries).toHaveLength(101);
    await refusals.writeCounts();
    expect(audit.entries).toHaveLength(102);
    expect(audit.entries.at(-1)!.details).toMatchObject({ reason: 'UNAUTHENTICATED', count: 9899 });
  });
});

it('counts on what cannot be recorded', async () => {
  audit.failure = new Error('away');
  refusals.ended(refused());
  refusals.ended(refused());
  await new Promise((resolve) => setImmediate(resolve));
  await expect(refusals.writeCounts()).rejects.toThrow('away');
  refusals.ended(refused());
  audit.failure = undefined;
  await refusals.writeCounts();
  expect(audit.entries.map(({ details }) => details.count)).toEqual([3]);
});

it('keeps few different ones however long nothing can be recorded', async () => {
  audit.failure = new Error('away');
  let total = 0;
  for (let minute = 0; minute < 5; minute++) {
    const writing = minute === 0 ? undefined : refusals.writeCounts();
    for (let n = 0; n < 300; n++, total++) {
      refusals.ended(refused({ address: `10.${minute}.${n >> 8}.${n & 255}` }));
    }
    await writing?.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  audit.failure = undefined;
  await refusals.writeCounts();
  expect(audit.entries.length).toBeLessThanOrEqual(101);
  const counts = audit.entries.map(({ details }) => details.count ?? 0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
});
