import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { describe, expect, it } from '@jest/globals';
import { SendMessageRequest } from '../../protocol/a2a.js';
import { requestLimit, scanRequest } from './message-scan.js';

const V1 = A2AService.sendMessage;
const V0 = LegacyA2AService.sendMessage;
const MANY = 3000;
const list = Array.from({ length: MANY }, () => 1);
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

function v1(message: object, others: object = {}): Buffer {
  const whole = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], ...message };
  return V1.requestSerialize(SendMessageRequest.fromJSON({ message: whole, ...others }));
}

function v0(fields: object): Buffer {
  const message = {
    messageId: 'm',
    contextId: '',
    taskId: '',
    role: 1,
    content: [],
    metadata: undefined,
    extensions: [],
  };
  const whole = { message: undefined, request: message, configuration: undefined, ...fields };
  return V0.requestSerialize(whole as never);
}

const v0Message = (fields: object): Buffer =>
  v0({
    request: {
      messageId: 'm',
      contextId: '',
      taskId: '',
      role: 1,
      content: [],
      metadata: undefined,
      extensions: [],
      ...fields,
    },
  });

const data = { part: { $case: 'data', value: { data: { list } } } };
const schemes = Array.from({ length: MANY }, () => '');
const config = { id: '', url: '', token: '', authentication: { schemes, credentials: '' } };

/** Where a request can hold many values. */
const HEAVY: readonly [string, string, () => Buffer][] = [
  ['parts', V1.path, () => v1({ parts: list.map(() => ({ text: '' })) })],
  ['data', V1.path, () => v1({ parts: [{ data: list }] })],
  ['metadata of a part', V1.path, () => v1({ parts: [{ text: '', metadata: { list } }] })],
  ['metadata of the message', V1.path, () => v1({ metadata: { list } })],
  ['metadata of the request', V1.path, () => v1({}, { metadata: { list } })],
  ['extensions', V1.path, () => v1({ extensions: schemes })],
  ['reference ids', V1.path, () => v1({ referenceTaskIds: schemes })],
  ['output modes', V1.path, () => v1({}, { configuration: { acceptedOutputModes: schemes } })],
  ['parts of 0.3', V0.path, () => v0Message({ content: list.map(() => ({ part: undefined })) })],
  ['data of 0.3', V0.path, () => v0Message({ content: [data] })],
  ['metadata of a message of 0.3', V0.path, () => v0Message({ metadata: { list } })],
  [
    'schemes of 0.3',
    V0.path,
    () =>
      v0({
        configuration: {
          acceptedOutputModes: [],
          historyLength: 0,
          blocking: false,
          pushNotification: config,
        },
      }),
  ],
];

describe('scanRequest', () => {
  it.each(HEAVY)('counts %s', (_what, path, make) => {
    const bytes = make();
    expect(() => scanRequest(path, bytes, MANY - 1)).toThrow(`more than ${MANY - 1} values`);
    expect(() => scanRequest(path, bytes, 10 * MANY)).not.toThrow();
  });

  it('refuses values nested deeper than any reader follows', () => {
    const scan = (levels: number): void =>
      scanRequest(V1.path, v1({ metadata: nested(levels) as object }), 10_000);
    expect(() => scan(64)).not.toThrow();
    expect(() => scan(66)).toThrow('nested more than 65 levels');
    expect(() => scan(500)).toThrow('nested more than 65 levels');
  });

  it('counts a file as one value, whatever is in it', () => {
    const raw = Buffer.alloc(100_000, 0x0a).toString('base64');
    expect(() => scanRequest(V1.path, v1({ parts: [{ raw }] }), 20)).not.toThrow();
  });

  it.each([
    ['a group', [0x7b, 0x7c]],
    ['a length beyond the end', [0x0a, 0x7f]],
    ['a number without an end', [0x08, 0xff]],
    ['a tag of more than 32 bits', [0x88, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00]],
    ['a wire type there is not', [0x0f]],
    ['the field 0', [0x00, 0x00]],
    ['the field 0 within the authentication of a push config', [0x1a, 6, 0x12, 4, 0x32, 2, 0, 0]],
  ])('refuses %s: the decoder might read on behind it', (_what, bytes) => {
    expect(() => scanRequest(V1.path, Buffer.from(bytes), 100)).toThrow('not a protobuf message');
  });
});

describe('requestLimit', () => {
  it('is that of bodies for messages, and small for methods that only name things', () => {
    expect(requestLimit(V1.path, 1e7)).toBe(1e7);
    expect(requestLimit(V0.path, 1e7)).toBe(1e7);
    expect(requestLimit(A2AService.getTask.path, 1e7)).toBe(256 * 1024);
    expect(requestLimit(A2AService.getTask.path, 1000)).toBe(1000);
  });
});
