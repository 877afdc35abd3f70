import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { BodyTooLargeError, discard, readText } from '../../common/egress/read-body.js';
import { CapturingHttp } from './capturing-http.js';

/** What a probe hears of a body. */
async function heard(body: Readable, headers: Readonly<Record<string, string>> = {}) {
  const answer = { statusCode: 500, headers, body } as never;
  const way = new CapturingHttp({
    requestClassified: () => Promise.resolve({ answer, isListed: false }),
  });
  return { way, answer: await way.request('http://a.example', {} as never) };
}

const closed = (body: Readable): Promise<void> =>
  new Promise((resolve) => (body.closed ? resolve() : void body.once('close', resolve)));

describe('what a probe hears', () => {
  it('is the beginning of the newest answer, which is read as it is', async () => {
    const { way, answer } = await heard(Readable.from([Buffer.from('a'), Buffer.from('b')]));
    expect(await readText(answer, 10)).toBe('ab');
    expect(way.text).toBe('ab');
  });

  it('is closed where it is too large to be read', async () => {
    const body = new PassThrough();
    const { answer } = await heard(body, { 'content-length': '100000' });
    await expect(readText(answer, 64)).rejects.toBeInstanceOf(BodyTooLargeError);
    await closed(body);
  });

  it('is closed where it is left while nothing comes', async () => {
    const body = new PassThrough();
    const { answer } = await heard(body);
    body.write('a');
    const reading = readText(answer, 64).catch(() => 'left');
    await new Promise((resolve) => setImmediate(resolve));
    discard(answer.body);
    await closed(body);
    expect(await reading).toBe('left');
  });

  it('breaks off as the answer does', async () => {
    const body = new PassThrough();
    const { answer } = await heard(body);
    body.destroy(new Error('gone'));
    await expect(readText(answer, 64)).rejects.toThrow('gone');
  });
});
