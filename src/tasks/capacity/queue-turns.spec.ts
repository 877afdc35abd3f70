import { describe, expect, it } from '@jest/globals';
import { QueueTurns } from './queue-turns.js';

const NOW = 1_000_000;

describe('turns in the queue of an agent', () => {
  it('are the time for who has none there, and ever later for who has many', () => {
    const turns = new QueueTurns();
    const greedy = [0, 1, 2].map((n) => turns.next('a', 'greedy', NOW + n));
    expect(greedy).toEqual([NOW, NOW + 60_000, NOW + 120_000]);
    expect(turns.next('a', 'newcomer', NOW + 5)).toBe(NOW + 5);
    expect(turns.next('b', 'greedy', NOW + 5)).toBe(NOW + 5);
    // Time catches up with whoever waits long.
    expect(turns.next('a', 'greedy', NOW + 1_000_000)).toBe(NOW + 1_000_000);
  });

  it('begin anew for who waits no more', () => {
    const turns = new QueueTurns();
    turns.next('a', 'p', NOW);
    turns.next('a', 'p', NOW);
    for (let n = 0; n < 2; n++) turns.entered('a', 'p');
    turns.left('a', 'p');
    expect(turns.next('a', 'p', NOW + 1)).toBe(NOW + 120_000);
    turns.left('a', 'p');
    expect(turns.next('a', 'p', NOW + 2)).toBe(NOW + 2);
  });

  it('begin anew for who was given one that was lost, also where the clock was set back', () => {
    for (const later of [60_001, -60_001]) {
      const turns = new QueueTurns();
      turns.next('a', 'p', NOW);
      expect(turns.next('a', 'p', NOW + later)).toBe(NOW + later);
    }
  });

  it('go back with a clock that was set back, also where turns of before are still queued', () => {
    const hour = 3_600_000;
    const turns = new QueueTurns();
    for (let n = 0; n < 3; n++) {
      turns.next('a', 'p', NOW + hour);
      turns.entered('a', 'p');
    }
    const queued = { agentId: 'a', principalId: 'p', count: 3, lastTurnAt: NOW + hour + 120_000 };
    turns.recount([queued], NOW + hour);
    turns.recount([queued], NOW);
    expect(turns.next('a', 'p', NOW + 1000)).toBe(NOW + 180_000);
    turns.recount([{ ...queued, count: 4 }], NOW + 2000);
    expect(turns.next('a', 'p', NOW + 2000)).toBe(NOW + 240_000);
    // A little is no setting.
    expect(turns.next('a', 'p', NOW - 50_000)).toBe(NOW + 300_000);
  });

  it('go on behind what waits since before this process', () => {
    const turns = new QueueTurns();
    turns.entered('a', 'p', NOW + 60_000);
    turns.entered('a', 'p', NOW);
    expect(turns.next('a', 'p', NOW + 1)).toBe(NOW + 120_000);
  });

  it('go on where they were when what waits is counted anew', () => {
    const turns = new QueueTurns();
    const waits = (count: number, lastTurnAt: number) => [
      { agentId: 'a', principalId: 'p', count, lastTurnAt },
    ];
    for (let n = 0; n < 3; n++) {
      turns.next('a', 'p', NOW);
      turns.entered('a', 'p');
    }
    turns.recount(waits(3, NOW + 120_000), NOW + 1000);
    expect(turns.next('a', 'p', NOW + 1000)).toBe(NOW + 180_000);
    // Another process, or this one before its start, has put more there.
    turns.recount(waits(10, NOW + 600_000), NOW + 2000);
    expect(turns.next('a', 'p', NOW + 2000)).toBe(NOW + 660_000);
    turns.recount([], NOW + 100_000);
    expect(turns.next('a', 'p', NOW + 100_000)).toBe(NOW + 100_000);
  });

  it('are not pushed back for ever by what was never committed', () => {
    const turns = new QueueTurns();
    turns.next('a', 'p', NOW);
    turns.next('a', 'p', NOW);
    expect(turns.next('a', 'p', NOW + 60_001 + 60_000)).toBe(NOW + 120_001);
  });
});
