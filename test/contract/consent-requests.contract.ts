import { expect, it, jest } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { SqlConsentRequests } from '../../src/tasks/persistence/sql-consent-requests.js';
import type { ConsentRequest } from '../../src/tasks/store/consent-requests.js';
import type { DatabaseFactory } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { testSecrets } from '../support/secret-box.js';
import { newTask, TaskHarness } from './task-harness.js';

const NOW = new Date(1_000_000);
const SOON = new Date(1_000_600);
const LATE = new Date(1_001_000);

function aRequest(delegationId: string, changes: Partial<ConsentRequest> = {}): ConsentRequest {
  return {
    ...{ delegationId, taskId: `task-${delegationId}`, expiresAt: SOON },
    ...{ principalId: 'alice', organization: 'acme', agentId: 'z' },
    ...changes,
  };
}

const begun = (verifier: string, client = 'client') => ({ verifier, client });

/** What is promised of the links at which consents are given. */
export function consentRequestsContract(databases: DatabaseFactory): void {
  const start = async (): Promise<{ database: Database; requests: SqlConsentRequests }> => {
    const database = await databases.openEmptied();
    return { database, requests: new SqlConsentRequests(database, testSecrets()) };
  };

  it('are one for each delegation, the newest, and kept as digests', async () => {
    const { database, requests } = await start();
    expect(await requests.open(aRequest('d1'), 'link-1', 9, NOW)).toBe(true);
    expect(await requests.of('link-1')).toEqual(aRequest('d1'));
    expect(await requests.open(aRequest('d1'), 'link-2', 9, NOW)).toBe(true);
    expect(await requests.of('link-1')).toBeUndefined();
    expect(await requests.start('link-1', begun('a'), NOW, LATE)).toBeUndefined();
    const started = await requests.start('link-2', begun('verifier'), NOW, LATE);
    const rows = JSON.stringify(await database.read('SELECT * FROM consent_requests'));
    expect(rows).not.toContain('link-2');
    for (const secret of Object.values(started!)) expect(rows).not.toContain(`"${secret}"`);
    await requests.close('d1');
    expect(await requests.of('link-2')).toBeUndefined();
  });

  it('of one principal are limited while they are open', async () => {
    const { requests } = await start();
    expect(await requests.open(aRequest('d1'), 'l1', 1, NOW)).toBe(true);
    expect(await requests.open(aRequest('d2'), 'l2', 1, NOW)).toBe(false);
    expect(await requests.open(aRequest('d1'), 'l1', 1, NOW)).toBe(true);
    expect(await requests.open(aRequest('d3', { principalId: 'bob' }), 'l3', 1, NOW)).toBe(true);
    expect(await requests.open(aRequest('d2', { expiresAt: LATE }), 'l2', 1, SOON)).toBe(true);
  });

  it('are completed once, by the browser that has opened them, in time', async () => {
    const { requests } = await start();
    await requests.open(aRequest('d1'), 'l1', 9, NOW);
    const { state, browser } = (await requests.start('l1', begun('verifier'), NOW, LATE))!;
    expect(new Set([state, browser, 'verifier']).size).toBe(3);
    expect(await requests.take('other', browser, NOW)).toEqual({ kind: 'unknown' });
    for (const other of ['', 'other', `${browser} `]) {
      expect(await requests.take(state, other, NOW)).toEqual({ kind: 'other-browser' });
    }
    // Longer than its link may be opened.
    expect(await requests.take(state, browser, SOON)).toEqual({
      kind: 'taken',
      request: aRequest('d1'),
      ...begun('verifier'),
    });
    expect(await requests.take(state, browser, SOON)).toEqual({ kind: 'unknown' });
    const next = (await requests.start('l1', begun('next'), NOW, LATE))!;
    expect(next.state).not.toBe(state);
    expect(await requests.take(next.state, next.browser, LATE)).toEqual({ kind: 'expired' });
    expect(await requests.take(next.state, next.browser, NOW)).toEqual({ kind: 'unknown' });
  });

  it('go on for whoever opens the same link again, and begin anew when they have expired or have a new link', async () => {
    const { requests } = await start();
    await requests.open(aRequest('d1'), 'l1', 9, NOW);
    const first = await requests.start('l1', begun('first'), NOW, SOON);
    expect(await requests.start('l1', begun('second'), NOW, LATE)).toEqual(first);
    // The later opening has given it more time.
    expect(await requests.start('l1', begun('third'), SOON, LATE)).toEqual(first);
    const anew = (await requests.start('l1', begun('fourth'), LATE, new Date(2_000_000)))!;
    expect(anew.verifier).toBe('fourth');
    await requests.open(aRequest('d1'), 'l2', 9, LATE);
    expect(await requests.take(anew.state, anew.browser, LATE)).toEqual({ kind: 'unknown' });
    expect((await requests.start('l2', begun('fifth'), LATE, new Date(2_000_000)))?.verifier).toBe(
      'fifth',
    );
    expect(await requests.start('l1', begun('sixth'), LATE, new Date(2_000_000))).toBeUndefined();
  });

  it('begin anew when their agent is called by another client', async () => {
    const { requests } = await start();
    await requests.open(aRequest('d1'), 'l1', 9, NOW);
    const one = (await requests.start('l1', begun('first', 'one'), NOW, LATE))!;
    const other = (await requests.start('l1', begun('second', 'other'), NOW, LATE))!;
    expect(other.verifier).toBe('second');
    expect(await requests.take(one.state, one.browser, NOW)).toEqual({ kind: 'unknown' });
    expect(await requests.take(other.state, other.browser, NOW)).toEqual({
      kind: 'taken',
      request: aRequest('d1'),
      ...begun('second', 'other'),
    });
  });

  it('cost no write when a state is not known', async () => {
    const { database, requests } = await start();
    const write = jest.spyOn(database, 'write');
    expect(await requests.take('unknown', 'browser', NOW)).toEqual({ kind: 'unknown' });
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  });

  it('are found by whose consent they wait for', async () => {
    const { requests } = await start();
    for (const id of ['d1', 'd2']) await requests.open(aRequest(id), id, 9, NOW);
    const others = [{ principalId: 'bob' }, { organization: 'umbrella' }, { agentId: 'y' }];
    for (const [index, other] of others.entries()) {
      await requests.open(aRequest(`o${index}`, other), `o${index}`, 9, NOW);
    }
    const found = await requests.waiting(aRequest('d1'));
    expect(found.map(({ delegationId }) => delegationId).sort()).toEqual(['d1', 'd2']);
  });

  it('are forgotten when their delegation does not wait', async () => {
    const { database, requests } = await start();
    const clock = new FakeClock();
    const tasks = new TaskHarness(database, clock);
    const task = newTask({}, clock.now());
    await tasks.log.create(task);
    const [row] = await database.read<{ id: string }>('SELECT id FROM delegations');
    await requests.open(aRequest(row!.id, { taskId: task.record.id }), 'l1', 9, NOW);
    await requests.open(aRequest('gone'), 'l2', 9, NOW);
    await database.write((tx) => tx.run(`UPDATE delegations SET state = 'auth-required'`));
    expect(await requests.forget(9)).toBe(1);
    expect(await requests.forget(9)).toBe(0);
    expect(await requests.of('l1')).toBeDefined();
    await database.write((tx) => tx.run(`UPDATE delegations SET state = 'completed'`));
    expect(await requests.forget(9)).toBe(1);
  });
}
