import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { DelegationWrite } from '../store/prepared-append.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import type { TaskStore } from '../store/task-store.js';
import type { Delegation } from '../task.js';
import type { WaitingCount } from '../store/agent-delegations.js';
import { QueueDepth } from './queue-depth.js';

/** A clock whose sleepers wake when the test says that a second has passed. */
class ManualClock extends SettableClock {
  private readonly sleepers: (() => void)[] = [];

  /** How long the last one wanted to sleep. */
  wantedMs = 0;

  override sleep(ms = 0): Promise<void> {
    this.wantedMs = ms;
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
  /** What works for other processes, as it was reported. */
  elsewhere: Record<string, number> | undefined;
  /** The same as the database holds it. */
  working: Record<string, number> = {};
  /** Whose work was left out of a count. */
  readonly askedFor: string[] = [];
  countTakesMs = 0;
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
        waitingByPrincipal: () => Promise.resolve(this.waiting),
        workOf: (owner) => {
          this.askedFor.push(owner);
          this.clock.ms += this.countTakesMs;
          const elsewhere = new Map(Object.entries(this.working));
          return Promise.resolve({ waiting: this.waiting, elsewhere });
        },
        open: () => Promise.resolve([]),
      },
      {
        waiting: (agentId, queue) => void (this.counts[agentId] = queue?.total ?? 0),
        elsewhere: (counts) => void (this.elsewhere = Object.fromEntries(counts)),
      },
      this.clock,
      { debug() {}, info() {}, warn() {}, error() {} },
      { soleProcess },
    );
  }

  private get waiting(): WaitingCount[] {
    return this.stored.map(({ agentId }) => ({ ...WHOSE, agentId, count: 1, lastTurnAt: 1000 }));
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
    await harness.queueDepth.start('me');
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
    await harness.queueDepth.start('me');
    harness.write('d1', 'a', 'queued');
    harness.write('d1', 'b', 'queued');
    expect(harness.counts).toEqual({ a: 0, b: 1 });
  });

  it('gives turns to those that join, and leaves those that wait where they are', async () => {
    const harness = new Harness(true);
    harness.stored = [{ id: 'd0', agentId: 'a' }];
    await harness.queueDepth.start('me');
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
    await harness.queueDepth.start('me');
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

  it('counts with it what works at each agent for other processes', async () => {
    const harness = new Harness(false);
    harness.working = { a: 3, b: 1 };
    await harness.queueDepth.start('me');
    await harness.clock.second();
    expect(harness.elsewhere).toEqual({ a: 3, b: 1 });
    harness.working = { b: 2 };
    await harness.clock.second();
    expect(harness.elsewhere).toEqual({ b: 2 });
    expect(new Set(harness.askedFor)).toEqual(new Set(['me']));
    await harness.queueDepth.stop();
  });

  it('counts no work where it chooses no agents', async () => {
    const harness = new Harness(false);
    await harness.queueDepth.start(null);
    await harness.clock.second();
    expect(harness.askedFor).toEqual([]);
    expect(harness.elsewhere).toBe(undefined);
    await harness.queueDepth.stop();
  });

  it('counts less often while a count takes long, every five seconds at least', async () => {
    const harness = new Harness(false);
    await harness.queueDepth.start('me');
    await harness.clock.second();
    expect(harness.clock.wantedMs).toBe(1000);
    harness.countTakesMs = 300;
    await harness.clock.second();
    expect(harness.clock.wantedMs).toBe(3000);
    harness.countTakesMs = 20_000;
    await harness.clock.second();
    expect(harness.clock.wantedMs).toBe(5000);
    await harness.queueDepth.stop();
  });
});
