import { describe, expect, it } from '@jest/globals';
import { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import { eventInAnyForm, taskInAnyForm } from './any-form.js';

const IDS = { taskId: 't', contextId: 'c' };
const MESSAGE = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] };
const FILE = { raw: 'eA==', filename: 'f', mediaType: 'text/plain' };

/** The event in the JSON of 1.0; undefined when it is none. */
function read(json: unknown): unknown {
  const event = eventInAnyForm(json);
  return event && StreamResponse.toJSON(event);
}

describe('an event in any form', () => {
  it.each([
    [
      'of 1.0',
      { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING', message: MESSAGE } } },
    ],
    [
      'of 0.3',
      {
        kind: 'status-update',
        ...IDS,
        status: {
          state: 'working',
          message: {
            kind: 'message',
            messageId: 'm',
            role: 'agent',
            parts: [{ kind: 'text', text: 'x' }],
          },
        },
        final: false,
      },
    ],
    [
      'of the proto of 0.3',
      {
        statusUpdate: {
          ...IDS,
          status: {
            state: 'TASK_STATE_WORKING',
            update: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'x' }] },
          },
        },
      },
    ],
    [
      'of 1.0 in snake_case',
      {
        status_update: {
          task_id: 't',
          context_id: 'c',
          status: {
            state: 'working',
            message: { ...MESSAGE, messageId: undefined, message_id: 'm' },
          },
        },
      },
    ],
    [
      'of both',
      { kind: 'status-update', ...IDS, status: { state: 'TASK_STATE_WORKING', message: MESSAGE } },
    ],
  ])('is one status: %s', (_, json) => {
    const status = {
      state: 'TASK_STATE_WORKING',
      message: Message.toJSON(Message.fromJSON(MESSAGE)),
    };
    expect(read(json)).toEqual({ statusUpdate: { ...IDS, status } });
  });

  it.each([
    ['1.0', { artifactUpdate: { ...IDS, artifact: { artifactId: 'a', parts: [FILE] } } }],
    [
      '0.3',
      {
        kind: 'artifact-update',
        ...IDS,
        artifact: {
          artifactId: 'a',
          parts: [{ kind: 'file', file: { bytes: 'eA==', name: 'f', mimeType: 'text/plain' } }],
        },
      },
    ],
    [
      'the proto of 0.3',
      {
        artifactUpdate: {
          ...IDS,
          artifact: {
            artifactId: 'a',
            parts: [{ file: { fileWithBytes: 'eA==', name: 'f', mimeType: 'text/plain' } }],
          },
        },
      },
    ],
  ])('has a file: %s', (_, json) => {
    expect(read(json)).toMatchObject({ artifactUpdate: { artifact: { parts: [FILE] } } });
  });

  it('leaves free-form JSON as it is', () => {
    const data = { kind: 'task', some_key: { state: 'working', role: 'user' } };
    const json = {
      kind: 'message',
      messageId: 'm',
      role: 'agent',
      parts: [{ kind: 'data', data }],
    };
    expect(read({ ...json, metadata: data })).toMatchObject({
      message: { parts: [{ data }], metadata: data },
    });
  });

  it.each([[null], ['x'], [[]], [{}], [{ kind: 'trace' }], [{ kind: 'toString' }], [{ task: 1 }]])(
    'is none: %j',
    (json) => {
      expect(eventInAnyForm(json)).toBeUndefined();
    },
  );
});

describe('a task in any form', () => {
  it.each([
    ['bare', { id: 't', status: { state: 'canceled' } }],
    ['of 0.3', { kind: 'task', id: 't', status: { state: 'canceled' } }],
    ['wrapped', { task: { id: 't', status: { state: 'TASK_STATE_CANCELLED' } } }],
  ])('is one: %s', (_, json) => {
    const task = taskInAnyForm(json);
    expect(task && Task.toJSON(task)).toEqual({
      id: 't',
      status: { state: 'TASK_STATE_CANCELED' },
    });
  });

  it('is no message', () => {
    expect(taskInAnyForm({ kind: 'message', ...MESSAGE })).toBeUndefined();
  });
});
