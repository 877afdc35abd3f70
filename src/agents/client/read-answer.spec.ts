import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import { checkEvent } from './read-answer.js';

const status = (changes: object) =>
  StreamResponse.fromJSON({
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_WORKING', ...changes },
    },
  });

const timestampOf = (timestamp: string): string | undefined => {
  const { payload } = checkEvent(status({ timestamp }));
  return payload?.$case === 'statusUpdate' ? payload.value.status?.timestamp : undefined;
};

const message = (extensions: string[]) => ({ messageId: 'm', role: 2, parts: [], extensions });

describe('checkEvent', () => {
  it.each([
    ['2026-11-21T02:15:22Z', '2026-11-21T02:15:22.000Z'],
    ['2026-11-21T02:15:22.5Z', '2026-11-21T02:15:22.500Z'],
    ['2026-11-21T02:15:22.137971+02:00', '2026-11-21T00:15:22.137Z'],
    ['2026-11-21T02:15:22.137971999-05:30', '2026-11-21T07:45:22.137Z'],
    ['2026-11-21T02:15:22.137971', '2026-11-21T02:15:22.137Z'],
    ['2026-11-21T02:15:22', '2026-11-21T02:15:22.000Z'],
    ['2026-11-21 02:15:22+00:00', '2026-11-21T02:15:22.000Z'],
    ['2026-11-21 02:15:22', '2026-11-21T02:15:22.000Z'],
    ['yesterday', undefined],
    ['', undefined],
  ])('makes the timestamp %s %s', (written, expected) => {
    expect(timestampOf(written)).toBe(expected);
  });

  it('lets an artifact be closed by a chunk without parts', () => {
    const event = { taskId: 't', artifact: { artifactId: 'a', parts: [] }, lastChunk: true };
    expect(() => checkEvent(StreamResponse.fromJSON({ artifactUpdate: event }))).not.toThrow();
  });

  it.each([
    ['an artifact', (extensions: string[]) => ({ artifacts: [{ artifactId: 'a', extensions }] })],
    ['a message', (extensions: string[]) => ({ history: [message(extensions)] })],
    [
      'a status',
      (extensions: string[]) => ({ status: { state: 1, message: message(extensions) } }),
    ],
  ])('takes a hundred extensions of %s, and no more', (_what, of) => {
    const named = Array.from({ length: 101 }, (_, at) => `urn:${at}`);
    const event = (extensions: string[]): StreamResponse =>
      StreamResponse.fromJSON({ task: { id: 't', status: { state: 1 }, ...of(extensions) } });
    expect(() => checkEvent(event(named.slice(1)))).not.toThrow();
    expect(() => checkEvent(event(named))).toThrow(/names 101 extensions at task.*at most 100/);
  });

  it.each<[object, string]>([
    [{}, 'none of task, message'],
    [{ task: { status: { state: 1 } } }, 'task.id'],
    [{ task: { id: 't' } }, 'task.status'],
    [{ task: { id: 't', status: { state: 'SLEEPING' } } }, 'task.status.state'],
    [{ task: { id: 't', status: { state: 1 }, artifacts: [{ parts: [] }] } }, 'task.artifacts[0]'],
    [{ task: { id: 't', status: { state: 1 }, history: [{}] } }, 'task.history[0].messageId'],
    [{ statusUpdate: { status: { state: 1 } } }, 'statusUpdate.taskId'],
    [{ statusUpdate: { taskId: 't' } }, 'statusUpdate.status'],
    [{ artifactUpdate: { taskId: 't' } }, 'artifactUpdate.artifact'],
    [{ message: { role: 2, parts: [] } }, 'message.messageId'],
    [{ message: { messageId: 'm', parts: [] } }, 'message.role'],
    [{ message: { messageId: 'm', role: 2, parts: [{}] } }, 'message.parts[0]'],
  ])('refuses %j, naming the member', (json, member) => {
    expect(() => checkEvent(StreamResponse.fromJSON(json))).toThrow(member);
  });
});
