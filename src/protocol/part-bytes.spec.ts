import { describe, expect, it } from '@jest/globals';
import { Base64 } from '../common/json-in-turns.js';
import { Part, Task } from './a2a.js';
import { decodeBytes, withLateBytes } from './part-bytes.js';

const bytes = Buffer.alloc(2 * 1024 * 1024, 'some bytes');
const raw = bytes.toString('base64');
const json = (given: unknown): unknown => ({
  id: 't',
  contextId: 'c',
  status: {
    state: 'TASK_STATE_COMPLETED',
    message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ raw: given }] },
  },
  artifacts: [{ artifactId: 'a', parts: [{ raw: given, filename: 'f' }, { text: raw }] }],
  history: [{ messageId: 'h', role: 'ROLE_USER', parts: [{ raw: given }] }],
});

describe('bytes of parts', () => {
  it('are read and written as the SDK does', () => {
    expect(Part.fromJSON({ raw: 'AQI=', media_type: 'a/b' })).toEqual({
      content: { $case: 'raw', value: Buffer.from([1, 2]) },
      filename: '',
      mediaType: 'a/b',
      metadata: undefined,
    });
    expect(Part.fromJSON({ raw: '' }).content).toEqual({ $case: 'raw', value: Buffer.alloc(0) });
    expect(Part.fromJSON({ text: 'x', raw: 'AQI=' }).content?.$case).toBe('text');
    expect(Part.fromJSON({ raw: 'AQI=', url: 'u' }).content?.$case).toBe('raw');
    expect(JSON.stringify(Part.toJSON(Part.fromJSON({ raw: 'AQI=', filename: 'f' })))).toBe(
      '{"raw":"AQI=","filename":"f"}',
    );
  });

  it('may be decoded before, wherever they are, and nothing else is', async () => {
    const early = { task: json(raw), metadata: { parts: [{ raw }] } };
    await decodeBytes(early);
    const { artifacts } = early.task as { artifacts: { parts: { raw?: unknown }[] }[] };
    expect(Buffer.isBuffer(artifacts[0]!.parts[0]!.raw)).toBe(true);
    expect(early.metadata.parts[0]!.raw).toBe(raw);
    const text = JSON.stringify(Task.toJSON(Task.fromJSON(early.task)));
    expect(text === JSON.stringify(json(raw))).toBe(true);
    await decodeBytes(null);
    await decodeBytes({ task: 1, artifacts: [null, { parts: 'x' }], parts: [null] });
  });

  it('may be left to be written later', () => {
    const task = Task.fromJSON(json(raw));
    const late = withLateBytes(() => Task.toJSON(task)) as { artifacts: { parts: unknown[] }[] };
    expect((late.artifacts[0]!.parts[0] as { raw: unknown }).raw).toBeInstanceOf(Base64);
    expect(JSON.stringify(late) === JSON.stringify(Task.toJSON(task))).toBe(true);
    const again = Task.fromJSON(late).artifacts[0]!.parts[0]!.content;
    expect(again?.$case === 'raw' && bytes.equals(again.value)).toBe(true);
  });
});
