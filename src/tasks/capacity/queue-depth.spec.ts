import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { DelegationWrite } from '../store/prepared-append.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import type { TaskStore } from '../store/task-store.js';
import type { Delegation } from '../task.js';
import { QueueDepth } from './queue-depth.js';

/** A clock whose sleepers wake when the test says that a second has passed. */
class ManualClock extends SettableClock {
  private readonly sleepers: (() => void)[] = [];

  override sleep(): Promise<void> {
    return new Promise((resolve) => this.sleepers.push(resolve));
  }

  async second(): Promise<void> {
    for (const wake of this.sleepers.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const WHOSE = { organization: 'acme', principalId: 'alice' };

/** A queue depth with a store whose commits and claims a test makes. */
class Harness {
  readonly counts: Record<string, number> = {};
  readonly clock = new ManualClock(0);
  /** What the database holds. */
  stored: { id: string; agentId: string }[] = [];
  turnOf: Parameters<TaskStore['queueBy']>[0] = () => undefined;
  private commit: (written: readonly DelegationWrite[]) => void = () => undefined;
  private claimed: (claimed: readonly ClaimedTask[]) => void = () => undefined;
  readonly queueDepth: QueueDepth;

  constructor(soleProcess: boolean) {
    this.queueDepth = new QueueDepth(
      {
        queueBy: (turnOf) => void (this.turnOf = turnOf),
        onCommitted: (listener) => void (this.commit = listener),
        onClaimed: (listener) => void (this.claimed = listener),
      },
      {
        waiting: () =>
          Promise.resolve(this.stored.map((each) => ({ ...WHOSE, turnAt: 1000, ...each }))),
        waitingByPrincipal: () =>
          Promise.resolve(
            this.stored.map(({ agentId }) => ({ ...WHOSE, agentId, count: 1, lastTurnAt: 1000 })),
          ),
        open: () => Promise.resolve([]),
      },
      { waiting: (agentId, queue) => void (this.counts[agentId] = queue?.total ?? 0) },
      this.clock,
      { debug() {}, info() {}, warn() {}, error() {} },
      { soleProcess },
    );
  }

  write(id: string, agentId: string, state: Delegation['state']): void {
    const delegation = { ...WHOSE, id, agentId, state, owner: null } as Delegation;
    this.commit([{ delegation, added: false, lease: false, moved: true, ended: false }]);
  }

  claim(id: string, agentId: string, adopted = false): void {
    const delegations = [{ ...WHOSE, id, agentId } as Delegation];
    const taken = new Set(adopted ? [id] : []);
    this.claimed([{ taskId: 't', version: 1, delegations, adopted: taken }]);
  }
}

describe('the queue depth of one process', () => {
  it('begins with what waits already and follows every commit and claim', async () => {
    const harness = new Harness(true);
    harness.stored = [{ id: 'd0', agentId: 'a' }];
    await harness.queueDepth.start();
    harness.write('d1', 'a', 'queued');
    harness.write('d2', 'b', 'queued');
    harness.write('d1', 'a', 'queued');
    expect(harness.counts).toEqual({ a: 2, b: 1 });
    harness.claim('d0', 'a');
    harness.write('d1', 'a', 'canceled');
    harness.write('unknown', 'b', 'completed');
    expect(harness.counts).toEqual({ a: 0, b: 1 });
  });

  it('moves a delegation that goes to its next agent', async () => {
    const harness = new Harness(true);
    await harness.queueDepth.start();
    harness.write('d1', 'a', 'queued');
    harness.write('d1', 'b', 'queued');
    expect(harness.counts).toEqual({ a: 0, b: 1 });
  });

  it('gives turns to those that join, and leaves those that wait where they are', async () => {
    const harness = new Harness(true);
    harness.stored = [{ id: 'd0', agentId: 'a' }];
    await harness.queueDepth.start();
    const turnOf = (id: string, agentId: string) =>
      harness.turnOf({ ...WHOSE, id, agentId } as Delegation);
    expect(turnOf('d0', 'a')).toBe(undefined);
    expect(turnOf('d1', 'a')).toBe(61_000);
    expect(turnOf('d0', 'b')).toBe(0);
    expect(harness.queueDepth.hasQueue('a')).toBe(true);
    expect(harness.queueDepth.hasQueue('b')).toBe(false);
  });
});

describe('the queue depth of several processes', () => {
  it('counts once a second what all have put there, and its own at once', async () => {
    const harness = new Harness(false);
    harness.stored = [{ id: 'theirs', agentId: 'a' }];
    await harness.queueDepth.start();
    await harness.clock.second();
    expect(harness.counts).toEqual({ a: 1 });
    harness.write('mine', 'a', 'queued');
    expect(harness.counts).toEqual({ a: 2 });
    harness.stored.push({ id: 'mine', agentId: 'a' });
    await harness.clock.second();
    expect(harness.counts).toEqual({ a: 2 });
    harness.claim('adopted', 'a', true);
    expect(harness.counts).toEqual({ a: 2 });
    harness.claim('theirs', 'a');
    harness.claim('mine', 'a');
    expect(harness.counts).toEqual({ a: 0 });
    harness.stored = [];
    await harness.clock.second();
    expect(harness.counts).toEqual({ a: 0 });
    await harness.queueDepth.stop();
  });
});
