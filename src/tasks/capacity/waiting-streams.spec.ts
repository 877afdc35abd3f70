import { describe, expect, it } from '@jest/globals';
import { OpenStream, WaitingStreams } from './waiting-streams.js';

describe('streams of delegations that wait for their clients', () => {
  /** Two of them may be open. */
  function streams(): { add: (agentId: string, name: string) => () => void; ended: string[] } {
    const all = new WaitingStreams(16);
    const ended: string[] = [];
    return { add: (agentId, name) => all.add(agentId, () => void ended.push(name)), ended };
  }

  it('are ended beyond their limit, the oldest of the agent that has most of them', async () => {
    const { add, ended } = streams();
    add('other', 'o');
    add('greedy', '1');
    add('greedy', '2');
    add('greedy', '3');
    await Promise.resolve();
    expect(ended).toEqual(['1', '2']);
  });

  it('count no more once they have left, and leave once', async () => {
    const { add, ended } = streams();
    const leave = add('a', '1');
    add('a', '2');
    leave();
    leave();
    add('a', '3');
    await Promise.resolve();
    expect(ended).toEqual([]);
    add('a', '4');
    await Promise.resolve();
    expect(ended).toEqual(['2']);
  });

  it('are counted only while the delegation waits, and not once they are closed', async () => {
    const all = new WaitingStreams(8);
    const ended: string[] = [];
    const first = new OpenStream(all, 'a', () => void ended.push('first'));
    const second = new OpenStream(all, 'a', () => void ended.push('second'));
    first.adapt(true);
    first.adapt(true);
    first.adapt(false);
    second.adapt(true);
    second.close();
    second.adapt(true);
    first.adapt(true);
    await Promise.resolve();
    expect(ended).toEqual([]);
  });
});
