import { describe, expect, it } from '@jest/globals';
import { Draining } from './draining.js';

const FOR_EVER_MS = 1_000_000;

describe('a stop that is announced', () => {
  it('begins after the pause, and nothing ends before', async () => {
    const draining = new Draining();
    draining.announce(20);
    expect([draining.announced.aborted, draining.signal.aborted]).toEqual([true, false]);
    await draining.untilPaused();
    expect(draining.signal.aborted).toBe(false);
    draining.begin();
    expect(draining.signal.aborted).toBe(true);
  });

  it('begins at once when it is announced again', async () => {
    const draining = new Draining();
    draining.announce(FOR_EVER_MS);
    draining.announce(FOR_EVER_MS);
    await draining.untilPaused();
    draining.announce(FOR_EVER_MS);
    await draining.untilPaused();
  });

  it('has no pause where none was announced, and is announced by its beginning', async () => {
    const draining = new Draining();
    await draining.untilPaused();
    draining.begin();
    expect([draining.announced.aborted, draining.signal.aborted]).toEqual([true, true]);
    draining.announce(FOR_EVER_MS);
    await draining.untilPaused();
  });
});
