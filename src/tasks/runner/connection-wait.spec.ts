import { describe, expect, it } from '@jest/globals';
import { ConnectionWait } from './connection-wait.js';

function waiting() {
  let now = 0;
  const story: string[] = [];
  const wait = new ConnectionWait({
    watchdog: {
      arm: (ms) => void story.push(`arm ${ms}`),
      disarm: () => void story.push('disarm'),
    },
    ms: 500,
    now: () => now,
    onChange: (waits) => void story.push(waits ? 'waits' : 'waits no more'),
  });
  return { wait, story, pass: (ms: number) => (now += ms) };
}

describe("a call's wait for its connection", () => {
  it("stops the agent's time, which begins when the call is on its way", () => {
    const { wait, story, pass } = waiting();
    wait.wanted();
    pass(60_000);
    expect(wait.waitedMs).toBe(60_000);
    wait.given();
    wait.done();
    expect(wait.waitedMs).toBe(0);
    expect(story).toEqual(['disarm', 'waits', 'waits no more', 'arm 500']);
  });

  it('goes on when the call is made at another interface, and ends with the call', () => {
    const { wait, story, pass } = waiting();
    wait.wanted();
    pass(100);
    wait.wanted();
    pass(100);
    expect(wait.waitedMs).toBe(200);
    wait.done();
    expect(story).toEqual(['disarm', 'waits', 'disarm', 'waits no more']);
  });
});
