import { describe, expect, it } from '@jest/globals';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { LegacyA2AService as V0Service } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { StreamResponse } from './a2a.js';
import { checkProtoLimits, type ProtoShape, V0_SHAPES, V1_SHAPES } from './proto-limits.js';

const LIMITS = { maxValues: 500, maxNesting: 10 };

function nested(levels: number, inList = false): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = inList ? [value] : { a: value };
  return value;
}

/** Events of 1.0 with this free-form value in each of their places. */
function eventsWith(value: unknown): [string, Buffer][] {
  const metadata = { a: value };
  const message = (more: object): object => ({
    messageId: 'm',
    role: 'ROLE_AGENT',
    parts: [{ text: 'x' }],
    ...more,
  });
  const ids = { taskId: 't', contextId: 'c' };
  const status = { state: 'TASK_STATE_WORKING' };
  const artifact = { artifactId: 'a', parts: [{ data: value }] };
  const events: Record<string, object> = {
    'task.metadata': { task: { id: 't', status, metadata } },
    'task.history': { task: { id: 't', status, history: [message({ metadata })] } },
    'task.artifacts': { task: { id: 't', status, artifacts: [artifact] } },
    'task.status': { task: { id: 't', status: { ...status, message: message({ metadata }) } } },
    'message.parts': { message: message({ parts: [{ data: value }] }) },
    'part.metadata': { message: message({ parts: [{ text: 'x', metadata }] }) },
    'statusUpdate.metadata': { statusUpdate: { ...ids, status, metadata } },
    'artifactUpdate.artifact': { artifactUpdate: { ...ids, artifact } },
    'artifact.metadata': { artifactUpdate: { ...ids, artifact: { ...artifact, metadata } } },
    'artifactUpdate.metadata': { artifactUpdate: { ...ids, artifact, metadata } },
  };
  return Object.entries(events).map(([place, json]) => [
    place,
    A2AService.sendStreamingMessage.responseSerialize(StreamResponse.fromJSON(json)),
  ]);
}

describe('limits of protobuf messages', () => {
  it.each(eventsWith(nested(5)))('take what is within them: %s', (_place, bytes) => {
    expect(() => checkProtoLimits(bytes, V1_SHAPES.event, LIMITS)).not.toThrow();
  });

  it.each([...eventsWith(nested(11)), ...eventsWith(nested(11, true))])(
    'refuse what is nested too deep: %s',
    (_place, bytes) => {
      expect(() => checkProtoLimits(bytes, V1_SHAPES.event, LIMITS)).toThrow('nested more than 10');
    },
  );

  it.each(eventsWith(Array(600).fill(0)))('refuse too many values: %s', (_place, bytes) => {
    expect(() => checkProtoLimits(bytes, V1_SHAPES.event, LIMITS)).toThrow('more than 500 values');
  });

  it('know the messages of 0.3', () => {
    const deep = (place: object): Buffer => V0Service.sendStreamingMessage.responseSerialize(place);
    const data = { part: { $case: 'data', value: { data: nested(12) } } };
    const artifact = { artifactId: 'a', name: '', description: '', parts: [data], extensions: [] };
    const update = { taskId: 't', contextId: 'c', artifact, append: false, lastChunk: false };
    const bytes = deep({ payload: { $case: 'artifactUpdate', value: update } });
    expect(() => checkProtoLimits(bytes, V0_SHAPES.event, LIMITS)).toThrow('nested more than 10');
    const large = { ...LIMITS, maxNesting: 100 };
    expect(() => checkProtoLimits(bytes, V0_SHAPES.event, large)).not.toThrow();
  });

  it.each<[string, number[], ProtoShape]>([
    ['a length beyond the end', [0x0a, 0x7f, 0x00], V1_SHAPES.event],
    ['a number without an end', [0x08, 0xff, 0xff], V1_SHAPES.event],
    ['a group', [0x0b, 0x0c], V1_SHAPES.event],
    [
      'a number of more than ten bytes',
      [0x08, ...Array<number>(10).fill(0x80), 0],
      V1_SHAPES.event,
    ],
    ['an end of a group', [0x0c], V1_SHAPES.event],
    ['the field 0', [0x00, 0x00], V1_SHAPES.event],
    ['the field 0 with a length', [0x02, 0x00], V1_SHAPES.event],
    ['the field 0 in a timestamp', [0x1a, 4, 0x1a, 2, 0, 0], V1_SHAPES.task],
    ['the field 0 in a timestamp of 0.3', [0x1a, 4, 0x1a, 2, 0, 0], V0_SHAPES.task],
    ['the field 0 in a file of 0.3', [0x2a, 4, 0x12, 2, 0, 0], V0_SHAPES.event.get(2)!()],
    [
      'a number that runs out of its message',
      [0x0a, 0x02, 0x09, 0x00, 1, 2, 3, 4, 5, 6, 7],
      V1_SHAPES.event,
    ],
  ])('refuse what is no message: %s', (_what, bytes, shape) => {
    expect(() => checkProtoLimits(Uint8Array.from(bytes), shape, LIMITS)).toThrow('protobuf');
  });

  it('refuse a tag of more than 32 bits, of which decoders take the lower ones', () => {
    const [, plain] = eventsWith(nested(11))[0]!;
    // The tag of the first field, written with a bit beyond the 32nd.
    const hidden = Buffer.concat([
      Buffer.from([plain[0]! | 0x80, 0x80, 0x80, 0x80, 0x10]),
      plain.subarray(1),
    ]);
    expect(() => checkProtoLimits(hidden, V1_SHAPES.event, LIMITS)).toThrow('protobuf');
  });
});
