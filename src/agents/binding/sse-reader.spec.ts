import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readSse, SSE_EVENT_LIMIT, SseEventTooLargeError, type SseEvent } from './sse-reader.js';

const JSON_LIMITS = { maxValues: 1000, maxNesting: 10 };

async function read(...chunks: (string | Buffer)[]): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  for await (const event of readSse(body, { json: JSON_LIMITS })) events.push(event);
  return events;
}

const data = async (...chunks: (string | Buffer)[]) => (await read(...chunks)).map((e) => e.data);

describe('readSse', () => {
  it('reads events, whatever is around them and however they are cut', async () => {
    const text =
      ': hi\n\nid: 7\ndata: one\n\ndata:two\r\nid: 1\r\n\r\nretry: 5\n\ndata:  three\n\n';
    const expected = ['one', 'two', ' three'];
    expect(await data(text)).toEqual(expected);
    for (let size = 1; size < text.length; size++) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
      expect(await data(...pieces)).toEqual(expected);
    }
  });

  it('joins several data lines and knows the type of an event', async () => {
    expect(await read('event: error\ndata: {\ndata: }\n\ndata: x\n\n')).toEqual([
      { type: 'error', data: '{\n}', complete: true },
      { type: 'message', data: 'x', complete: true },
    ]);
  });

  it.each([
    ['comments', ':\n'],
    ['empty lines', '\n'],
    ['blank events', 'data: \n\n'],
    ['long comments', `:${'x'.repeat(60_000)}\n`],
    ['lines of one event', 'data:\n'],
  ])('lets other work in between %s without end', async (_what, line) => {
    const chunk = line.repeat(Math.ceil(65_536 / line.length));
    expect(await turnsOf(read(...Array.from({ length: 40 }, () => chunk), '\n'))).toBeGreaterThan(
      8,
    );
  });

  it('lets other work in between many lines that arrive together', async () => {
    const body = Readable.from([Buffer.from(`${'event: x\n'.repeat(60_000)}data: y\n\n`)]);
    const first = readSse(body, { json: JSON_LIMITS }).next();
    expect(await turnsOf(first)).toBeGreaterThan(4);
  });

  it('takes empty lines for nothing but the end of an event', async () => {
    expect(await read('\n\r\n\ndata: a\n\r\n\n\nevent: x\n\ndata: b\r\n\r\n')).toEqual([
      { type: 'message', data: 'a', complete: true },
      { type: 'message', data: 'b', complete: true },
    ]);
  });

  it('passes over a byte order mark at the beginning, however it is cut', async () => {
    const bytes = Buffer.from('\ufeffdata: a\n\n');
    expect(await data(bytes)).toEqual(['a']);
    for (let cut = 1; cut < 6; cut++) {
      expect(await data(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(['a']);
    }
    expect(await data(Buffer.from('\ufeff: hello\n\ndata: b\n\n'))).toEqual(['b']);
  });

  it('passes over events of white space, but not an error without a word', async () => {
    expect(await data('data:\n\ndata:  \ndata:\n\ndata: a\n\n')).toEqual(['a']);
    expect(await read('event: error\ndata:\n\n')).toEqual([
      { type: 'error', data: '', complete: true },
    ]);
  });

  it('counts the bytes of an event, whatever characters they are, on lines that come whole', async () => {
    const line = `data:${'字'.repeat(20_000)}\n`;
    const lines = Array.from({ length: 285 }, () => line);
    await expect(read(...lines)).rejects.toThrow(SseEventTooLargeError);
    expect(await read(...lines.slice(10), '\n')).toHaveLength(1);
  });

  it('counts the values of an event on lines that come whole, before it has ended', async () => {
    const line = `data:[${'{},'.repeat(200)}0],\n`;
    await expect(read(line.repeat(4), line.repeat(4))).rejects.toThrow('more than 1000 values');
    expect(await read(`${line}\n`, `${line}\n`, `${line}\n`)).toHaveLength(3);
  });

  it.each([
    ['comment', `: ${'1'.repeat(3000)}`],
    ['id', `id: ${',[{'.repeat(3000)}`],
    ['type', `event: ${',[{'.repeat(3000)}`],
  ])('takes what is no data for no JSON, however it is cut: a %s', async (_what, other) => {
    const bytes = Buffer.from(`${other}\ndata: a\n\n`);
    expect(await data(bytes.subarray(0, 1500), bytes.subarray(1500))).toEqual(['a']);
  });

  it('holds a short event to the same limits wherever it is cut', async () => {
    const text = `data: {"a":0.${'1'.repeat(1100)}}\n\n`;
    expect(await read(text)).toHaveLength(1);
    for (const cut of [3, 10, 700]) {
      expect(await read(text.slice(0, cut), text.slice(cut))).toHaveLength(1);
    }
    const long = `data: ${' '.repeat(3500)}\n${text}`;
    for (const cut of [3, 3600, 4000, long.length]) {
      await expect(read(long.slice(0, cut), long.slice(cut))).rejects.toThrow('1024 digits');
    }
  });

  it('refuses an event in very many tiny pieces, not a stream of many small events', async () => {
    const tiny = Array.from(Buffer.from(`data: ${'x'.repeat(5000)}\n\n`), (byte) =>
      Buffer.from([byte]),
    );
    await expect(read(...tiny)).rejects.toThrow('comes in too small pieces');
    const small = Array.from({ length: 3000 }, () => ['data: x', '\n', '\n', ':\n']).flat();
    expect(await read(...small)).toHaveLength(3000);
  });

  it('keeps characters whole that are cut between chunks', async () => {
    const bytes = Buffer.from('data: grün 🦆\n\n');
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(await data(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(['grün 🦆']);
    }
  });

  it('says when the stream ended before its last event did', async () => {
    expect(await read('data: a\n\ndata: b')).toEqual([
      { type: 'message', data: 'a', complete: true },
      { type: 'message', data: 'b', complete: false },
    ]);
    expect(await read('data: a\n')).toHaveLength(1);
    expect(await read('')).toEqual([]);
  });

  it('stops at an event over the limit, on one line or on many, ended or not', async () => {
    const half = `data: ${'x'.repeat(SSE_EVENT_LIMIT / 2)}\n`;
    await expect(read(half, half, half, '\n')).rejects.toThrow('over 16 MiB');
    await expect(read('data: ', 'x'.repeat(SSE_EVENT_LIMIT + 1))).rejects.toThrow('over 16 MiB');
    expect(await data(half, '\n', half, '\n')).toHaveLength(2);
  });

  it('refuses an event of too many values, or nested too deep, before anybody can parse it', async () => {
    const wide = `[${'{},'.repeat(2000)}{}]`;
    await expect(read(`data: ${wide}\n\n`)).rejects.toThrow('has more than 1000 values');
    const half = `data: ${wide.slice(0, 3000)}\ndata: ${wide.slice(3000)}\n\n`;
    await expect(read(half)).rejects.toThrow('has more than 1000 values');
    const deep = `data: ${'['.repeat(5000)}\n\n`;
    await expect(read(deep)).rejects.toThrow('is nested more than 10 levels deep');
  });

  it('gives an event of too many values up while it arrives', async () => {
    let given = 0;
    const body = Readable.from(
      (function* () {
        yield Buffer.from('data: [');
        for (; given < 1000; given += 1) yield Buffer.from('1,'.repeat(400));
      })(),
    );
    await expect(readSse(body, { json: JSON_LIMITS }).next()).rejects.toThrow('1000 values');
    expect(given).toBeLessThan(50);
  });

  it('reads an event that comes in tiny pieces at a cost that grows with its size alone', async () => {
    const size = 8 * 1024 * 1024;
    const piece = Buffer.from('x'.repeat(512));
    const pieces = Array.from({ length: size / piece.length }, () => piece);
    const started = performance.now();
    const [event] = await data('data: ', ...pieces, '\n\n');
    expect(event).toHaveLength(size);
    // Searching and joining what is there already at every piece took minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('tells what it holds, and waits before it reads on', async () => {
    const seen: number[] = [];
    let waited = 0;
    const reserve = (bytes: number): Promise<void> | undefined => {
      seen.push(bytes);
      if (bytes < 3000) return undefined;
      return Promise.resolve().then(() => void (waited += 1));
    };
    const chunks = ['data: ', 'x'.repeat(2000), 'x'.repeat(2000), '\n', '\n', 'data: y\n\n'];
    const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    for await (const event of readSse(body, { json: JSON_LIMITS, reserve }))
      expect(event.type).toBe('message');
    expect(Math.max(...seen)).toBeGreaterThan(4000);
    expect(seen.at(-1)).toBe(0);
    expect(waited).toBeGreaterThan(0);
  });
});

/** In how many turns of the event loop others had a turn meanwhile. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let goesOn = true;
  const count = (): void => {
    turns += 1;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  await work;
  goesOn = false;
  return turns;
}
