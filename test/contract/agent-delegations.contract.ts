import { beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import type { AgentDelegations } from '../../src/tasks/store/agent-delegations.js';
import { SqlAgentDelegations } from '../../src/tasks/persistence/sql-agent-delegations.js';
import type { DelegationState } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { change, TaskHarness } from './task-harness.js';

/** What is promised about the delegations of an agent. */
export function agentDelegationsContract(databases: DatabaseFactory): void {
  let database: Database;
  let hub: TaskHarness;
  let delegations: AgentDelegations;

  beforeEach(async () => {
    database = await databases.openEmptied();
    hub = new TaskHarness(database);
    delegations = new SqlAgentDelegations(database);
  });

  /** A task whose only delegation is in this state; the delegation. */
  async function taskIn(state: DelegationState): Promise<{ id: string; agentId: string }> {
    const { record } = await hub.create();
    const [delegation] = (await hub.load(record.id)).delegations;
    const { id, agentId } = delegation!;
    if (state !== 'queued') {
      await hub.log.update(record.id, () => change({ events: [], delegations: [{ id, state }] }));
    }
    return { id, agentId };
  }

  it('finds what waits for a runner, and how many of whom for each agent', async () => {
    const first = await taskIn('queued');
    const second = await taskIn('queued');
    for (const state of ['planned', 'sending', 'working', 'completed'] as const)
      await taskIn(state);
    const waiting = await delegations.waiting();
    expect(waiting.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(waiting).toContainEqual({
      ...first,
      organization: 'acme',
      principalId: 'alice',
      turnAt: hub.clock.now().getTime(),
    });
    const counted = {
      organization: 'acme',
      principalId: 'alice',
      count: 2,
      lastTurnAt: hub.clock.now().getTime(),
    };
    expect(await delegations.waitingByPrincipal()).toEqual([
      { agentId: first.agentId, ...counted },
    ]);
    await hub.store.claim('p1', hub.clock.now(), 1000, 100);
    expect(await delegations.waitingByPrincipal()).toEqual([]);
  });

  it('finds what works at an agent for others, and what waits, at one moment', async () => {
    const states = [
      'planned',
      'queued',
      'sending',
      'working',
      'input-required',
      'completed',
    ] as const;
    const ids: string[] = [];
    for (const state of states) ids.push((await taskIn(state)).id);
    const [, , sending, working] = ids as [string, string, string, string];
    const { agentId } = await taskIn('queued');
    // What was given back counts as well: its agent goes on.
    const before = await delegations.workOf('p1');
    expect(before.waiting).toMatchObject([{ agentId, organization: 'acme', count: 2 }]);
    expect(before.elsewhere).toEqual(new Map([[agentId, 2]]));
    const claimed = await hub.store.claim('p1', hub.clock.now(), 1000, 100);
    expect(claimed.map(({ id }) => id)).toEqual(expect.arrayContaining([sending, working]));
    expect(await delegations.workOf('p1')).toEqual({ waiting: [], elsewhere: new Map() });
    const ofOthers = await delegations.workOf('p2');
    expect(ofOthers).toEqual({ waiting: [], elsewhere: new Map([[agentId, 4]]) });
  });

  it("finds an agent's open ones in pages, and no others", async () => {
    const open: string[] = [];
    let agentId = '';
    for (const state of [
      'queued',
      'sending',
      'working',
      'input-required',
      'auth-required',
    ] as const) {
      const delegation = await taskIn(state);
      open.push(delegation.id);
      agentId = delegation.agentId;
    }
    for (const state of ['planned', 'skipped', 'completed', 'failed', 'canceled'] as const) {
      await taskIn(state);
    }
    open.sort();
    const found = await delegations.open(agentId, '', 3);
    expect(found.map(({ id }) => id)).toEqual(open.slice(0, 3));
    const rest = await delegations.open(agentId, found[2]!.id, 3);
    expect(rest.map(({ id }) => id)).toEqual(open.slice(3));
    expect(await delegations.open('another', '', 10)).toEqual([]);
  });
}
