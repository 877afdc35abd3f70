import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { leastBytes } from './domain/least-bytes.js';
import { PUSH_EXTENSION_URI } from './domain/truncated-payload.js';
import { webhookBody } from './webhook-body.js';

const LIMITS = { maxBytes: 10_000, publicUrl: 'https://hub.example' };
const IDS = { taskId: 't', contextId: 'c' };

function payloadOf(wire: object): NonNullable<StreamResponse['payload']> {
  const { payload } = StreamResponse.fromJSON(wire);
  if (!payload) throw new Error('no payload');
  return payload;
}

const message = (parts: object[]) => ({ messageId: 'm', role: 'ROLE_AGENT', parts });
const taskOf = (parts: object[]) => ({
  task: {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_WORKING', message: message(parts) },
    artifacts: [{ artifactId: 'a', parts }],
    history: [message(parts)],
  },
});
const PARTS = [
  { text: 'größer "als" alles\n' },
  { raw: Buffer.from('a few bytes').toString('base64') },
  { url: 'https://files.example/1' },
  { data: { deep: [{ ünter: 'ß' }, 1, null, true], text: 'x' } },
  { text: '' },
];

describe('webhookBody', () => {
  it.each<ProtocolVersion>(['1.0', '0.3'])(
    'does not write a task of %s out that cannot fit',
    (version) => {
      const large = payloadOf(taskOf([{ text: 'x'.repeat(20_000) }]));
      if (large.$case !== 'task') throw new Error('no task');
      const unwritable = {
        toJSON: () => {
          throw new Error('written out');
        },
      };
      large.value.artifacts[0]!.parts[0]!.metadata = unwritable;
      const { body } = webhookBody(version, large, LIMITS);
      const { metadata } = version === '1.0' ? JSON.parse(body).task : JSON.parse(body);
      expect(metadata[PUSH_EXTENSION_URI]).toMatchObject({ thin: true, bytes: 60_000 });
    },
  );

  it('gives the exact size of what had to be serialized', () => {
    const numbers = Array.from({ length: 5000 }, (_, i) => i);
    const payload = payloadOf(taskOf([{ data: numbers }]));
    const whole = webhookBody('1.0', payload, { ...LIMITS, maxBytes: 1e6 });
    const { metadata } = JSON.parse(webhookBody('1.0', payload, LIMITS).body).task;
    expect(metadata[PUSH_EXTENSION_URI].bytes).toBe(Buffer.byteLength(whole.body));
  });

  it('never takes for too large what fits, in any version', () => {
    const all = [
      taskOf(PARTS),
      {
        statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING', message: message(PARTS) } },
      },
      { artifactUpdate: { ...IDS, artifact: { artifactId: 'a', parts: PARTS } } },
      { message: message(PARTS) },
    ].map(payloadOf);
    for (const payload of all) {
      for (const version of ['1.0', '0.3'] as const) {
        if (version !== '1.0' && payload.$case !== 'task') continue;
        const { body } = webhookBody(version, payload, LIMITS);
        expect(leastBytes(payload)).toBeGreaterThan(0);
        expect(leastBytes(payload)).toBeLessThan(Buffer.byteLength(body));
        const exact = { ...LIMITS, maxBytes: Buffer.byteLength(body) };
        expect(webhookBody(version, payload, exact).body).toBe(body);
      }
    }
  });
});
