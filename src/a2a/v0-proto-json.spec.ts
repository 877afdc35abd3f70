import { describe, expect, it } from '@jest/globals';
import type { LegacyEvent, LegacyMessage, LegacyTask } from './v0-operations.js';
import {
  type ProtoPeer,
  protoPushConfig,
  protoPushConfigs,
  protoTask,
  pushConfigOf,
  sendParamsOf,
  sendResponse,
  streamResponse,
} from './v0-proto-json.js';

const PLAIN: ProtoPeer = { filesTwice: false, laterFields: false };
const LATER: ProtoPeer = { filesTwice: true, laterFields: true };

const MESSAGE: LegacyMessage = {
  kind: 'message',
  messageId: 'm-1',
  contextId: 'c-1',
  taskId: 't-1',
  role: 'agent',
  parts: [
    { kind: 'text', text: 'hello', metadata: { lang: 'en' } },
    { kind: 'file', file: { uri: 'https://example.com/a.png', mimeType: 'image/png', name: 'a' } },
    { kind: 'file', file: { bytes: 'aGk=', name: 'b' }, metadata: { from: 'x' } },
    { kind: 'data', data: { numbers: [1, { deep: null }] } },
  ],
  metadata: { trace: 'abc' },
  extensions: ['urn:example:one'],
  referenceTaskIds: ['t-0'],
};

const PROTO_MESSAGE = {
  messageId: 'm-1',
  contextId: 'c-1',
  taskId: 't-1',
  role: 'ROLE_AGENT',
  content: [
    { text: 'hello' },
    { file: { fileWithUri: 'https://example.com/a.png', mimeType: 'image/png' } },
    { file: { fileWithBytes: 'aGk=' } },
    { data: { data: { numbers: [1, { deep: null }] } } },
  ],
  metadata: { trace: 'abc' },
  extensions: ['urn:example:one'],
};

const TASK: LegacyTask = {
  kind: 'task',
  id: 't-1',
  contextId: 'c-1',
  status: { state: 'completed', message: MESSAGE, timestamp: '2026-01-31T12:00:00.000Z' },
  artifacts: [
    {
      artifactId: 'a-1',
      name: 'answer',
      description: 'what was asked for',
      parts: [{ kind: 'text', text: 'done' }],
      metadata: { origin: 'x' },
      extensions: ['urn:example:two'],
    },
  ],
  history: [MESSAGE],
  metadata: { note: 1 },
};

const PROTO_TASK = {
  id: 't-1',
  contextId: 'c-1',
  status: {
    state: 'TASK_STATE_COMPLETED',
    message: PROTO_MESSAGE,
    timestamp: '2026-01-31T12:00:00.000Z',
  },
  artifacts: [{ ...TASK.artifacts![0], parts: [{ text: 'done' }] }],
  history: [PROTO_MESSAGE],
  metadata: { note: 1 },
};

describe('ProtoJSON of 0.3, written', () => {
  it('has a task with nothing that a2a.proto of 0.3.0 has not', () => {
    expect(protoTask(TASK, PLAIN)).toEqual(PROTO_TASK);
  });

  it('leaves out what is not there', () => {
    const bare: LegacyTask = {
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: { state: 'working' },
    };
    expect(JSON.stringify(protoTask(bare, PLAIN))).toBe(
      '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}',
    );
  });

  it.each([
    ['submitted', 'TASK_STATE_SUBMITTED'],
    ['working', 'TASK_STATE_WORKING'],
    ['completed', 'TASK_STATE_COMPLETED'],
    ['failed', 'TASK_STATE_FAILED'],
    ['canceled', 'TASK_STATE_CANCELLED'],
    ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['rejected', 'TASK_STATE_REJECTED'],
    ['auth-required', 'TASK_STATE_AUTH_REQUIRED'],
    ['unknown', 'TASK_STATE_UNSPECIFIED'],
  ] as const)('calls the state %s %s', (state, name) => {
    const { status } = protoTask({ ...TASK, status: { state } }, PLAIN);
    expect(status).toEqual({ state: name });
  });

  it('wraps the answer of a send', () => {
    expect(sendResponse(TASK, PLAIN)).toEqual({ task: PROTO_TASK });
    expect(sendResponse(MESSAGE, PLAIN)).toEqual({ message: PROTO_MESSAGE });
    const { role } = sendResponse({ ...MESSAGE, role: 'user' }, PLAIN)['message'] as typeof MESSAGE;
    expect(role).toBe('ROLE_USER');
  });

  it('wraps each event of a stream, without its kind', () => {
    const ids = { taskId: 't-1', contextId: 'c-1' };
    const status: LegacyEvent = {
      kind: 'status-update',
      ...ids,
      status: { state: 'canceled' },
      final: true,
      metadata: { a: 1 },
    };
    const artifact: LegacyEvent = {
      kind: 'artifact-update',
      ...ids,
      artifact: TASK.artifacts![0]!,
      append: true,
      lastChunk: false,
    };
    expect([TASK, MESSAGE, status, artifact].map((event) => streamResponse(event, PLAIN))).toEqual([
      { task: PROTO_TASK },
      { message: PROTO_MESSAGE },
      {
        statusUpdate: {
          ...ids,
          status: { state: 'TASK_STATE_CANCELLED' },
          final: true,
          metadata: { a: 1 },
        },
      },
      {
        artifactUpdate: {
          ...ids,
          artifact: PROTO_TASK.artifacts[0],
          append: true,
          lastChunk: false,
        },
      },
    ]);
  });

  it('gives later fields and files as text to the programs that want them so', () => {
    const { content } = sendResponse(MESSAGE, LATER)['message'] as typeof PROTO_MESSAGE;
    expect(content.slice(0, 3)).toEqual([
      { text: 'hello', metadata: { lang: 'en' } },
      { file: { fileWithUri: 'https://example.com/a.png', mimeType: 'image/png', name: 'a' } },
      {
        file: { fileWithBytes: Buffer.from('aGk=').toString('base64'), name: 'b' },
        metadata: { from: 'x' },
      },
    ]);
  });

  it('names push configs as resources', () => {
    const config = {
      taskId: 't-1',
      pushNotificationConfig: { id: 'p-1', url: 'https://example.com/hook' },
    };
    const proto = {
      name: 'tasks/t-1/pushNotificationConfigs/p-1',
      pushNotificationConfig: config.pushNotificationConfig,
    };
    expect(protoPushConfig(config)).toEqual(proto);
    expect(protoPushConfigs([config])).toEqual({ configs: [proto] });
    expect(protoPushConfigs([])).toEqual({ configs: [] });
  });
});

describe('ProtoJSON of 0.3, read', () => {
  const read = (message: object, peer = PLAIN): LegacyMessage =>
    sendParamsOf({ message: { messageId: 'm', role: 'ROLE_USER', content: [], ...message } }, peer)[
      'message'
    ] as LegacyMessage;

  it('is the message it was written from', () => {
    const { referenceTaskIds } = MESSAGE;
    const written = sendResponse(MESSAGE, LATER)['message'] as object;
    // A message that is sent may say more than the proto of 0.3.0.
    expect(read({ ...written, referenceTaskIds }, LATER)).toEqual(MESSAGE);
  });

  it('takes the numbers of roles', () => {
    expect([1, 2].map((role) => read({ role }).role)).toEqual(['user', 'agent']);
  });

  it('reads a file from the member that is not empty', () => {
    const file = (members: object, peer = PLAIN): unknown =>
      (read({ content: [{ file: members }] }, peer).parts[0] as { file: unknown }).file;
    expect(file({ fileWithUri: '', fileWithBytes: 'aGk=', mimeType: '', name: '' })).toEqual({
      bytes: 'aGk=',
    });
    expect(file({ fileWithUri: 'urn:x', fileWithBytes: '' })).toEqual({ uri: 'urn:x' });
    expect(file({ fileWithBytes: '' })).toEqual({ bytes: '' });
  });

  it('undoes the second base64 of the programs that write it, and only where there is one', () => {
    const bytes = (fileWithBytes: string, peer: ProtoPeer): unknown =>
      (
        read({ content: [{ file: { fileWithBytes } }] }, peer).parts[0] as {
          file: { bytes: string };
        }
      ).file.bytes;
    const twice = Buffer.from('aGk=').toString('base64');
    expect(bytes(twice, LATER)).toBe('aGk=');
    expect(bytes(twice, PLAIN)).toBe(twice);
    const once = Buffer.from([0xff, 0xfe, 0x00]).toString('base64');
    expect(bytes(once, LATER)).toBe(once);
    const large = Buffer.alloc(9 * 1024 * 1024, 'file').toString('base64');
    expect(bytes(Buffer.from(large).toString('base64'), LATER) === large).toBe(true);
  });

  it('reads a configuration as Protocol Buffers mean it', () => {
    const configuration = (fields?: object): unknown =>
      sendParamsOf({ message: { role: 1, content: [] }, configuration: fields }, PLAIN)[
        'configuration'
      ];
    expect(configuration()).toBeUndefined();
    expect(configuration({})).toEqual({ blocking: false });
    expect(configuration({ blocking: true, historyLength: 0 })).toEqual({ blocking: true });
    expect(
      configuration({
        acceptedOutputModes: ['text/plain'],
        historyLength: 2,
        pushNotification: { url: 'https://example.com/hook' },
      }),
    ).toEqual({
      acceptedOutputModes: ['text/plain'],
      historyLength: 2,
      pushNotificationConfig: { url: 'https://example.com/hook' },
      blocking: false,
    });
  });

  it('finds the id of a push config beside it or in it', () => {
    const config = { url: 'https://example.com/hook' };
    const whole = { parent: 'tasks/t', config: { name: '', pushNotificationConfig: config } };
    expect(pushConfigOf({ pushNotificationConfig: config })).toEqual(config);
    expect(pushConfigOf(whole)).toEqual(config);
    expect(pushConfigOf({ ...whole, configId: 'p' })).toEqual({ ...config, id: 'p' });
    const named = { pushNotificationConfig: { ...config, id: 'own' } };
    expect(pushConfigOf({ configId: 'p', config: named })).toEqual({ ...config, id: 'own' });
    const byName = { name: 'tasks/t/pushNotificationConfigs/a/b', pushNotificationConfig: config };
    expect(pushConfigOf(byName)).toEqual({ ...config, id: 'a/b' });
    expect(pushConfigOf({ configId: 'p', config: byName })).toEqual({ ...config, id: 'p' });
  });
});
