import { describe, expect, it } from '@jest/globals';
import { userMessage } from '../domain/fake-events.js';
import { NOW } from '../domain/fake-task.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import { firstUpdate } from '../send/new-task.js';
import type { Delegation, NewDelegation } from '../task.js';
import { NEW_RECORD } from './fake-record.js';
import { FirstClaim } from './first-claim.js';
import { LiveTask } from './live-task.js';
import type { Claimer } from './task-log.js';

const QUEUED: NewDelegation = {
  id: 'd',
  agentId: 'a',
  agentName: 'Agent a',
  agentSince: null,
  skillId: null,
  position: 0,
  step: 0,
  state: 'queued',
  downstreamContextId: null,
  fallbacks: [],
  deadlineAt: NOW,
};

class Runner implements Claimer {
  readonly owner = 'p1';
  readonly leaseMs = 1000;
  readonly handedOver: ClaimedDelegation[] = [];
  readonly released: Delegation[] = [];

  constructor(private readonly hasPermits: boolean) {}

  reserve(): boolean {
    return this.hasPermits;
  }

  release(delegations: readonly Delegation[]): void {
    this.released.push(...delegations);
  }

  claimed(delegations: readonly ClaimedDelegation[]): void {
    this.handedOver.push(...delegations);
  }
}

function newTask(): LiveTask {
  const live = LiveTask.unstarted(NEW_RECORD);
  live.apply(firstUpdate(NEW_RECORD, userMessage('m1', 'hello'), {}, [QUEUED]), NOW);
  return live;
}

describe('the first claim of a new task', () => {
  it('is of what is queued, and hands it over once the task is created', () => {
    const runner = new Runner(true);
    const [live, claim] = [newTask(), new FirstClaim(runner)];
    claim.reserve(live, NOW);
    const [write] = live.take().delegations;
    expect(write!.delegation).toMatchObject({ state: 'sending', owner: 'p1', epoch: 1, calls: 1 });
    claim.handOver();
    expect(runner.handedOver).toEqual([{ ...write!.delegation, adopted: false }]);
  });

  it('hands nothing over that was claimed from the queue as soon as it was committed', () => {
    const runner = new Runner(false);
    const [live, claim] = [newTask(), new FirstClaim(runner)];
    claim.reserve(live, NOW);
    const [write] = live.take().delegations;
    expect(write!.delegation).toMatchObject({ state: 'queued', owner: null });
    live.committed();
    const claimed: Delegation = { ...write!.delegation, state: 'sending', owner: 'p1', epoch: 1 };
    live.claimed({ taskId: NEW_RECORD.id, version: 2, delegations: [claimed], adopted: new Set() });
    claim.handOver();
    expect(runner.handedOver).toEqual([]);
  });

  it('gives its permits back where the task is not created', () => {
    const runner = new Runner(true);
    const [live, claim] = [newTask(), new FirstClaim(runner)];
    claim.reserve(live, NOW);
    claim.release();
    expect(runner.released.map(({ id }) => id)).toEqual(['d']);
  });
});
