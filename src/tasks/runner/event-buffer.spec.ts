import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import { EventBuffer } from './event-buffer.js';

const event: StreamResponse = { payload: undefined };
const AT_ONCE = { wait: (call: () => void): void => void setImmediate(call) };

async function* of(count: number, error?: Error): AsyncGenerator<StreamResponse> {
  for (let n = 0; n < count; n++) yield event;
  await Promise.resolve();
  if (error) throw error;
}

describe('EventBuffer', () => {
  it('gives what arrived together at once, then the end', async () => {
    const buffer = new EventBuffer(of(5), AT_ONCE);
    expect(await buffer.next()).toEqual({
      events: Array(5).fill(event),
      end: { error: undefined },
    });
    expect(await buffer.next()).toEqual({ events: [], end: { error: undefined } });
  });

  it('gives what came before an error, with the error', async () => {
    const error = new Error('cut');
    const buffer = new EventBuffer(of(2, error), AT_ONCE);
    expect(await buffer.next()).toEqual({ events: [event, event], end: { error } });
  });

  it('holds a bounded number of events and lets the agent wait', async () => {
    let given = 0;
    const endless = async function* (): AsyncGenerator<StreamResponse> {
      for (;;) {
        given += 1;
        yield event;
        await Promise.resolve();
      }
    };
    const buffer = new EventBuffer(endless(), AT_ONCE);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given).toBe(256);
    expect((await buffer.next()).events).toHaveLength(256);
  });

  it.each([
    ['waits for the taker', 256],
    ['reads', 3],
  ])('ends its source when it is closed while it %s', async (_what, events) => {
    let ended = false;
    const source = async function* (): AsyncGenerator<StreamResponse> {
      try {
        yield* of(events);
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield event;
        yield event;
        throw new Error('read on');
      } finally {
        ended = true;
      }
    };
    const buffer = new EventBuffer(source(), AT_ONCE);
    await new Promise((resolve) => setTimeout(resolve, 10));
    buffer.close();
    await buffer.untilEnd();
    expect(ended).toBe(true);
    expect((await buffer.next()).end).toEqual({ error: undefined });
  });

  it('counts objects that hold nothing, too: few events with many of them make the agent wait', async () => {
    const value = Array.from({ length: 40_000 }, () => ({}));
    const full = StreamResponse.fromJSON({
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: value }] },
    });
    let given = 0;
    const endless = async function* (): AsyncGenerator<StreamResponse> {
      for (; given < 300; given += 1) {
        yield full;
        await Promise.resolve();
      }
    };
    const buffer = new EventBuffer(endless(), AT_ONCE);
    await buffer.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given).toBeLessThan(10);
    buffer.close();
  });

  it('holds a bounded number of bytes and lets the agent wait', async () => {
    const large = StreamResponse.fromJSON({
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(32 * 1024) }] },
    });
    let given = 0;
    const endless = async function* (): AsyncGenerator<StreamResponse> {
      for (;;) {
        given += 1;
        yield large;
        await Promise.resolve();
      }
    };
    const buffer = new EventBuffer(endless(), AT_ONCE);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(given).toBe(8);
    expect((await buffer.next()).events).toHaveLength(8);
    await new Promise((resolve) => setTimeout(resolve, 20));
    // Not before what was taken is stored, which is when more is asked for.
    expect(given).toBe(8);
    expect((await buffer.next()).events.length).toBeGreaterThan(0);
    expect(given).toBeLessThanOrEqual(16);
  });

  it('lets chunks wait for their turn, but neither the first event, nor what is no chunk, nor the end', async () => {
    const chunk = StreamResponse.fromJSON({ artifactUpdate: { taskId: 't' } });
    const status = StreamResponse.fromJSON({ statusUpdate: { taskId: 't' } });
    const waiting: (() => void)[] = [];
    let give: (events: StreamResponse[]) => void = () => undefined;
    const source = async function* (): AsyncGenerator<StreamResponse> {
      for (;;) {
        const events = await new Promise<StreamResponse[]>((resolve) => (give = resolve));
        if (events.length === 0) return;
        yield* events;
      }
    };
    const buffer = new EventBuffer(source(), { wait: (call) => waiting.push(call) });
    give([chunk]);
    expect((await buffer.next()).events).toEqual([chunk]);
    expect(waiting).toHaveLength(0);

    const chunks = buffer.next();
    give([chunk]);
    await expect(Promise.race([chunks, pause('waits')])).resolves.toBe('waits');
    give([chunk]);
    await pause('read');
    waiting.shift()?.();
    expect((await chunks).events).toEqual([chunk, chunk]);

    const more = buffer.next();
    give([chunk]);
    await pause('read');
    give([status]);
    expect((await more).events).toEqual([chunk, status]);

    const last = buffer.next();
    give([chunk]);
    await pause('read');
    give([]);
    expect(await last).toEqual({ events: [chunk], end: { error: undefined } });
  });
});

function pause<T>(value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), 10));
}
