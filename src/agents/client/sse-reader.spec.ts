import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readSse, SSE_EVENT_LIMIT, type SseEvent } from './sse-reader.js';

async function read(...chunks: (string | Buffer)[]): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  for await (const event of readSse(body)) events.push(event);
  return events;
}

const data = async (...chunks: (string | Buffer)[]) => (await read(...chunks)).map((e) => e.data);

describe('readSse', () => {
  it('reads events, whatever stands around them and however they are cut', async () => {
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
    await expect(read(half, half, half, '\n')).rejects.toThrow('over 4 MiB');
    await expect(read('data: ', 'x'.repeat(SSE_EVENT_LIMIT + 1))).rejects.toThrow('over 4 MiB');
    expect(await data(half, '\n', half, '\n')).toHaveLength(2);
  });
});
