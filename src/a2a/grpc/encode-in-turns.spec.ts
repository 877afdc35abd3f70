import { describe, expect, it } from '@jest/globals';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Base64 } from '../../common/json-in-turns.js';
import { LONG } from '../../common/long-work.js';
import { Task } from '../../protocol/a2a.js';
import { encodeInTurns } from './encode-in-turns.js';
import { taskMessage } from './v0-answers.js';

const encode = (json: unknown): Buffer => A2AService.getTask.responseSerialize(Task.fromJSON(json));

const FILE = Buffer.alloc(3 * LONG, 'bytes of a file');
const TEXT = 'Äpfel 🍏 und Birnen, '.repeat(LONG / 16);

function taskWith(parts: readonly object[], metadata: object = {}): object {
  return {
    id: 'task',
    contextId: 'context',
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.123Z' },
    artifacts: [
      { artifactId: 'first', name: 'A', parts, extensions: ['https://example.com/e'] },
      { artifactId: 'second', parts: [{ text: 'short' }] },
    ],
    metadata,
  };
}

describe('encodeInTurns', () => {
  it.each<[string, object]>([
    ['a text', taskWith([{ text: TEXT }])],
    [
      'texts between short ones',
      taskWith([{ text: 'a' }, { text: TEXT }, { text: 'b' }, { text: TEXT }]),
    ],
    [
      'a file as base64',
      taskWith([{ raw: FILE.toString('base64'), filename: 'f', mediaType: 'a/b' }]),
    ],
    ['a file as bytes', taskWith([{ raw: FILE, filename: 'f' }, { text: TEXT }])],
    ['a file of which the base64 is made later', taskWith([{ raw: new Base64(FILE) }])],
    [
      'data',
      taskWith([{ data: { a: [1, TEXT, { ['n'.repeat(3000)]: TEXT, no: null }], b: true } }]),
    ],
    [
      'metadata',
      taskWith([], { deep: { deeper: [[[TEXT]], 'x'.repeat(1023), 'y'.repeat(1024)] } }),
    ],
    [
      'very many texts',
      taskWith(Array.from({ length: 3000 }, (_, n) => ({ text: `${n}`.repeat(1000) }))),
    ],
    [
      'halves of characters',
      taskWith([{ text: '\ud83c'.repeat(LONG) }, { text: '\udf4f'.repeat(LONG) }]),
    ],
    ['much that is short', taskWith(Array.from({ length: 40_000 }, (_, n) => ({ text: `${n}` })))],
  ])('writes %s as the SDK does', async (_, json) => {
    const message = encodeInTurns(json, encode);
    expect(message).toBeInstanceOf(Promise);
    expect((await message).equals(encode(json))).toBe(true);
  });

  it('takes a member of data that is named __proto__ as the SDK does', async () => {
    const data: unknown = JSON.parse(`{"__proto__":"${'p'.repeat(2 * LONG)}","b":"${TEXT}"}`);
    const json = taskWith([{ data }]);
    const message = await encodeInTurns(json, encode);
    expect(message.equals(encode(json))).toBe(true);
    expect(message.length).toBeGreaterThan(TEXT.length);
  });

  it('gives what encodes at once little of a long value, and leaves the value as it is', async () => {
    const json = taskWith([{ text: TEXT }, { raw: FILE }]);
    const before = structuredClone(json);
    const lengths: number[] = [];
    await encodeInTurns(json, (short) => {
      const message = encode(short);
      lengths.push(message.length);
      return message;
    });
    expect(lengths).toEqual([expect.any(Number)]);
    expect(lengths[0]).toBeLessThan(1000);
    expect(json).toEqual(before);
  });

  it('encodes what is short at once', () => {
    const json = taskWith([{ text: 'x'.repeat(5000) }]);
    expect(encodeInTurns(json, encode)).toEqual(encode(json));
  });

  it('writes a file of 0.3 as the base64 it is, or its bytes', async () => {
    const file = { kind: 'file', file: { bytes: FILE.toString('base64'), mimeType: 'a/b' } };
    const task = {
      kind: 'task',
      id: 'task',
      contextId: 'context',
      status: { state: 'completed' },
      artifacts: [{ artifactId: 'a', parts: [file, { kind: 'text', text: TEXT }, file] }],
    };
    for (const filesTwice of [true, false]) {
      const legacy = (json: unknown): Buffer =>
        LegacyA2AService.getTask.responseSerialize(
          taskMessage(json as never, { filesTwice, laterFields: false }),
        );
      const message = await encodeInTurns(task, legacy);
      expect(message.equals(legacy(task))).toBe(true);
    }
  });
});
