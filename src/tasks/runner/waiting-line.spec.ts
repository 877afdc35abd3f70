import { describe, expect, it } from '@jest/globals';
import type { ClaimedTask, DelegationWrite } from '../task-store.js';
import type { Delegation } from '../task.js';
import { WaitingLine } from './waiting-line.js';

/** A clock whose sleepers wake when the test says that a second has passed. */
class ManualClock {
  private readonly sleepers: (() => void)[] = [];

  now(): Date {
    return new Date(0);
  }

  sleep(): Promise<void> {
    return new Promise((resolve) => this.sleepers.push(resolve));
  }

  async second(): Promise<void> {
    for (const wake of this.sleepers.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A line with a store whose commits and claims a test makes. */
class Harness {
  readonly counts: Record<string, number> = {};
  readonly clock = new ManualClock();
  /** What the database holds. */
  stored: { id: string; agentId: string }[] = [];
  private commit: (written: readonly DelegationWrite[]) => void = () => undefined;
  private claimed: (claimed: readonly ClaimedTask[]) => void = () => undefined;
  readonly line: WaitingLine;

  constructor(soleProcess: boolean) {
    this.line = new WaitingLine({
      soleProcess,
      clock: this.clock,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      load: { waiting: (agentId, count) => void (this.counts[agentId] = count) },
      store: {
        onCommitted: (listener) => void (this.commit = listener),
        onClaimed: (listener) => void (this.claimed = listener),
      },
      delegations: {
        waiting: () => Promise.resolve(this.stored),
        waitingByAgent: () => {
          const counts = new Map<string, number>();
          for (const { agentId } of this.stored) {
            counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
          }
          return Promise.resolve(counts);
        },
        open: () => Promise.resolve([]),
      },
    });
  }

  write(id: string, agentId: string, state: Delegation['state']): void {
    const delegation = { id, agentId, state, owner: null } as Delegation;
    this.commit([{ delegation, added: false, lease: false }]);
  }

  claim(id: string, agentId: string, adopted = false): void {
    const delegations = [{ id, agentId } as Delegation];
    const taken = new Set(adopted ? [id] : []);
    this.claimed([{ taskId: 't', version: 1, delegations, adopted: taken }]);
  }
}

describe('the line of one process', () => {
  it('begins with what waits already and follows every commit and claim', async () => {
    const harness = new Harness(true);
    harness.stored = [{ id: 'd0', agentId: 'a' }];
    await harness.line.start();
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
    await harness.line.start();
    harness.write('d1', 'a', 'queued');
    harness.write('d1', 'b', 'queued');
    expect(harness.counts).toEqual({ a: 0, b: 1 });
  });

  it('counts what goes back before that is committed, once', async () => {
    const harness = new Harness(true);
    await harness.line.start();
    harness.line.joined('d1', 'a');
    harness.write('d1', 'a', 'queued');
    expect(harness.counts).toEqual({ a: 1 });
  });
});

describe('the line of several processes', () => {
  it('counts once a second what all have put there, and its own at once', async () => {
    const harness = new Harness(false);
    harness.stored = [{ id: 'theirs', agentId: 'a' }];
    await harness.line.start();
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
    harness.line.stop();
  });
});
