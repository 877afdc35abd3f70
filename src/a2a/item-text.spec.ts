import { describe, expect, it } from '@jest/globals';
import { countTurns } from '../common/fake-loop-turns.js';
import type { JsonText } from '../common/json-text.js';
import { StreamResponse, type Task, TaskState } from '../protocol/a2a.js';
import { textPart } from '../protocol/build.js';
import type { StreamItem } from '../tasks/index.js';
import { itemText, responseOf } from './item-text.js';
import { successJson } from './json-rpc/envelope.js';

const MIB = 1024 * 1024;

function taskOf(...contents: ReturnType<typeof textPart>['content'][]): Task {
  const parts = contents.map((content) => ({ ...textPart(''), content }));
  const artifact = { artifactId: 'a', name: '', description: '', parts, extensions: [] };
  return {
    id: 't',
    contextId: 'c',
    status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined },
    artifacts: [{ ...artifact, metadata: undefined }],
    history: [],
    metadata: undefined,
  };
}

function textOf(text: JsonText): string {
  return typeof text === 'string' ? text : Buffer.concat(text).toString();
}

const jsonOf = (task: Task): string => JSON.stringify(StreamResponse.toJSON(responseOf(task)));

describe('the text of an item', () => {
  it('is at once that of a small task, as JSON.stringify writes it', () => {
    const task = taskOf({ $case: 'text', value: 'é"\u2028' });
    expect(itemText({ seq: 1, body: task })).toBe(jsonOf(task));
    expect(successJson('r', itemText({ seq: 1, body: task }))).toBe(
      `{"jsonrpc":"2.0","id":"r","result":${jsonOf(task)}}`,
    );
  });

  it('is the same of a large task, written in turns of the event loop', async () => {
    const task = taskOf(
      { $case: 'text', value: 'é"\ud83d\ude00'.repeat(2 * MIB) },
      { $case: 'raw', value: Buffer.alloc(2 * MIB, 'bytes') },
      { $case: 'data', value: Array.from({ length: 50_000 }, (_, n) => ({ n })) },
    );
    const item: StreamItem = { seq: 1, body: task };
    const turns = countTurns();
    const text = await successJson(7, itemText(item));
    expect(turns()).toBeGreaterThan(5);
    expect(textOf(text) === `{"jsonrpc":"2.0","id":7,"result":${jsonOf(task)}}`).toBe(true);
    expect(item.body).toBe('');
  });

  it('is that of the log, in blocks of whole characters where it is long', async () => {
    const small: StreamItem = { seq: 1, body: '{"a":"é"}' };
    expect([itemText(small), small.body]).toEqual(['{"a":"é"}', '{"a":"é"}']);
    const body = `{"a":"x${'\ud83d\ude00'.repeat(3 * MIB)}"}`;
    const large: StreamItem = { seq: 2, body };
    const turns = countTurns();
    const text = (await itemText(large)) as readonly Buffer[];
    expect(turns()).toBeGreaterThan(2);
    expect(text.every((block) => !block.toString().includes('\ufffd'))).toBe(true);
    expect([textOf(text) === body, large.body]).toEqual([true, '']);
  });
});
