import { describe, expect, it } from '@jest/globals';
import { CallGate } from './call-gate.js';

const FOREVER = new AbortController().signal;

describe('a gate of calls', () => {
  it('lets so many through for each agent, and the others in order', async () => {
    const gate = new CallGate(2);
    const order: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await gate.enter('a', FOREVER);
      order.push(name);
      return leave;
    };
    const [leave1, leave2] = [await enter('1'), await enter('2')];
    const third = enter('3');
    const fourth = enter('4');
    await gate.enter('b', FOREVER);
    expect(order).toEqual(['1', '2']);
    leave2();
    await third;
    expect(order).toEqual(['1', '2', '3']);
    leave1();
    await fourth;
    expect(order).toEqual(['1', '2', '3', '4']);
  });

  it('forgets who does not want to wait any more', async () => {
    const gate = new CallGate(1);
    const leave = await gate.enter('a', FOREVER);
    const patience = new AbortController();
    const gone = gate.enter('a', patience.signal);
    const next = gate.enter('a', FOREVER);
    patience.abort();
    await expect(gone).rejects.toMatchObject({ kind: 'interrupted' });
    await expect(gate.enter('a', AbortSignal.abort())).rejects.toMatchObject({
      kind: 'interrupted',
    });
    leave();
    (await next)();
    await gate.enter('a', FOREVER);
  });
});
