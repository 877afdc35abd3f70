import { describe, expect, it } from '@jest/globals';
import { CancelPermits } from './cancel-permits.js';
import { RunPermit, RunPermits } from './run-permits.js';

function placesFor(max: number, load: string[] = []): RunPermits {
  const agents = {
    begun: (agent: string) => load.push(`+${agent}`),
    ended: (agent: string) => load.push(`-${agent}`),
    maxConcurrent: (agent: string) => (agent === 'b' ? 1 : 2),
  };
  return new RunPermits(max, agents, new CancelPermits());
}

const of = (agentId: string, organization = 'acme') => ({ agentId, organization });

describe('permits', () => {
  it('are counted in all and for each agent, up to its own number, and reported by agent', () => {
    const load: string[] = [];
    const permits = placesFor(4, load);
    for (const agent of ['a', 'b']) permits.acquire(of(agent));
    expect(permits.hasCapacity(of('a'))).toBe(true);
    permits.acquire(of('a', 'other'));
    expect(permits.free).toBe(1);
    expect([...permits.inUse]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect([...permits.organizations]).toEqual([
      ['acme', 2],
      ['other', 1],
    ]);
    expect(['a', 'b', 'c'].map((agent) => permits.hasCapacity(of(agent)))).toEqual([
      false,
      false,
      true,
    ]);
    permits.release(of('a', 'other'));
    permits.release(of('b'));
    expect(permits.free).toBe(3);
    expect(permits.hasCapacity(of('a'))).toBe(true);
    expect([...permits.inUse]).toEqual([['a', 1]]);
    expect([...permits.organizations]).toEqual([['acme', 1]]);
    expect(load).toEqual(['+a', '+b', '+a', '-a', '-b']);
  });

  it('are kept, a few of them, for organizations that have none', () => {
    const permits = placesFor(64);
    const agents = Array.from({ length: 64 }, (_, n) => `agent ${n}`);
    const taken = agents.filter((agent) => {
      const whose = of(agent, 'greedy');
      const has = permits.hasCapacity(whose);
      if (has) permits.acquire(whose);
      return has;
    });
    expect(taken).toHaveLength(60);
    expect(permits.isContended('other')).toBe(true);
    expect(permits.hasCapacity(of('other', 'newcomer'))).toBe(true);
    permits.acquire(of('other', 'newcomer'));
    expect(permits.hasCapacity(of('other', 'newcomer'))).toBe(false);
    expect(permits.hasCapacity(of('other', 'another'))).toBe(true);
  });

  it('of an agent are kept, one of a few, where more than one organization may come', () => {
    const permits = placesFor(10);
    permits.acquire(of('a', 'greedy'));
    expect(permits.hasCapacity(of('a', 'greedy'))).toBe(true);
    permits.several = true;
    expect(permits.hasCapacity(of('a', 'greedy'))).toBe(false);
    expect(permits.hasCapacity(of('a', 'newcomer'))).toBe(true);
    expect(permits.hasCapacity(of('b', 'greedy'))).toBe(true);
  });

  it('are remembered: who had one of an agent longest ago', () => {
    const permits = placesFor(10);
    const had = (): number[] => ['one', 'two', 'new'].map((each) => permits.lastHeldAt('b', each));
    permits.acquire(of('b', 'one'));
    permits.release(of('b', 'one'));
    permits.acquire(of('b', 'two'));
    permits.acquire(of('a', 'new'));
    const [one, two, never] = had() as [number, number, number];
    expect([never, one > 0, two > one]).toEqual([0, true, true]);
    permits.acquire(of('b', 'one'));
    permits.release(of('b', 'two'));
    permits.release(of('b', 'one'));
    expect(had()[0]).toBeGreaterThan(had()[1]!);
  });

  it('are hardly taken by those whose agents are only polled', () => {
    const permits = placesFor(2);
    const polled = Array.from({ length: 15 }, (_, n) => of(`agent ${n}`));
    for (const each of polled) {
      permits.acquire(each);
      permits.setPolled(each, true);
    }
    expect(permits.free).toBe(1);
    expect([...permits.organizations]).toEqual([]);
    expect(permits.heldAt('agent 0', 'acme')).toBe(1);
    for (const each of polled) permits.release(each, true);
    expect(permits.free).toBe(2);
    expect([...permits.inUse]).toEqual([]);
  });
});

describe('the permit of a run', () => {
  const WORKS = { waits: false, polls: false, hasEnded: false };
  const WAITS = { ...WORKS, waits: true };
  const POLLS = { ...WORKS, polls: true };
  const ENDED = { ...WORKS, hasEnded: true };

  function permitIn(permits: RunPermits): { permit: RunPermit; released: () => number } {
    let released = 0;
    const hooks = { isContended: () => permits.free <= 0, released: () => (released += 1) };
    return { permit: new RunPermit(permits, of('a'), hooks), released: () => released };
  }

  it('is taken while it works, not while it waits for its client, and kept to its end', () => {
    const permits = placesFor(1);
    const { permit, released } = permitIn(permits);
    const story = [WORKS, WAITS, WORKS, ENDED].map((need) => {
      permit.adapt(need);
      return permits.free;
    });
    expect(story).toEqual([0, 1, 0, 0]);
    expect(released()).toBe(1);
    permit.done();
    permit.adapt(WORKS);
    expect(permits.free).toBe(1);
    expect(released()).toBe(2);
  });

  it('is released while its agent is only polled', () => {
    const permits = placesFor(1);
    const { permit, released } = permitIn(permits);
    const story = [WORKS, POLLS, WAITS, POLLS, WORKS, POLLS].map((need) => {
      permit.adapt(need);
      return permits.free;
    });
    expect(story).toEqual([0, 1, 1, 1, 0, 1]);
    permit.done();
    expect([...permits.inUse]).toEqual([]);
    expect(permits.free).toBe(1);
    expect(released()).toBe(3);
  });

  it('is not taken by one that ends while it waits for its client', () => {
    const permits = placesFor(1);
    const { permit } = permitIn(permits);
    permit.adapt(WAITS);
    permit.adapt(ENDED);
    expect(permits.free).toBe(1);
  });
});

describe('cancels', () => {
  it('are a few at once for each agent, apart from all permits', () => {
    const cancels = new CancelPermits(3, 2);
    let calls = 0;
    cancels.onCapacity = () => (calls += 1);
    for (const agent of ['gone', 'gone']) cancels.acquire(agent);
    expect(cancels.hasCapacity('gone')).toBe(false);
    expect(cancels.hasCapacity('other')).toBe(true);
    cancels.acquire('other');
    expect(cancels.hasCapacity('third')).toBe(false);
    expect(cancels.free).toBe(0);
    cancels.release('gone');
    expect(calls).toBe(1);
    cancels.release('gone');
    cancels.release('other');
    expect(calls).toBe(1);
    expect([...cancels.inUse]).toEqual([]);
  });
});
