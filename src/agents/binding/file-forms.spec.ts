import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../protocol/a2a.js';
import { FileBytes, formOfRefusal, formOfStatus } from './file-forms.js';

describe('how a server of 0.3 has files', () => {
  const go = {
    type: 'https://a2a-protocol.org/errors/task-not-found',
    title: 'Task Not Found',
    status: 404,
    detail: 'task not found',
    timestamp: '2026-01-01T00:00:00Z',
  };
  it.each([
    ['Python', { message: 'Task not found' }],
    ['Java', { error: 'io.a2a.spec.TaskNotFoundError', message: 'Task not found' }],
    [
      'Java 1.0 speaking 0.3',
      { error: 'org.a2a.compat.TaskNotFoundError_v0_3', message: 'Task not found' },
    ],
    ['Go', go],
  ])('is known of the SDK for %s by how it refuses an unknown task', (_, body) => {
    expect(formOfRefusal(JSON.stringify(body))).toBe('twice');
  });

  it.each([
    ['JavaScript', { code: -32001, message: 'Task not found' }],
    ['a program of its own', { message: 'Task not found', path: '/v1/tasks/x' }],
    ['another with problem details', { ...go, timestamp: undefined }],
    ['1.0', { error: { code: 404, status: 'NOT_FOUND', message: 'Task not found' } }],
    ['a gateway', 'no such page'],
  ])('is taken at its word of %s', (_, body) => {
    expect(formOfRefusal(JSON.stringify(body))).toBe('once');
    expect(formOfRefusal('<html>')).toBe('once');
  });

  it('is known over gRPC by the text of the status', () => {
    const said = (text: string) => formOfStatus(`the agent answered: ${text} (-32001)`);
    expect(said('NOT_FOUND: TaskNotFoundError: Task not found')).toBe('twice');
    expect(said('NOT_FOUND: task not found')).toBe('twice');
    expect(said('NOT_FOUND: failed to get the task: task not found')).toBe('twice');
    expect(said('NOT_FOUND: Task not found')).toBe('once');
    expect(said('UNIMPLEMENTED: TaskNotFoundError: x')).toBe('once');
  });
});

describe('files that are had as their base64 text', () => {
  const files = new FileBytes(() => Promise.resolve('twice'));
  const messageOf = (value: Buffer) =>
    ({ parts: [{ content: { $case: 'raw', value } }] }) as unknown as Message;
  const bytesIn = ({ parts }: Message) => (parts[0]!.content as { value: Buffer }).value;
  const read = async (text: string) => bytesIn(await files.read(messageOf(Buffer.from(text))));

  it.each([0, 1, 2, 3, 4, 786_431, 786_432, 786_433, 2_500_000])(
    'are the same after both ways (%i bytes)',
    async (size) => {
      const bytes = Buffer.alloc(size, 'any bytes \u00fe');
      const { message } = await files.sent({ message: messageOf(bytes) });
      const text = bytesIn(message);
      expect(text.toString()).toBe(bytes.toString('base64'));
      expect((await read(text.toString())).equals(bytes)).toBe(true);
    },
  );

  it.each([
    'A',
    'AA',
    'A===',
    '====',
    'AA=A',
    'AAAA=',
    'AA\nA',
    'AA==AAAA',
    `AA==${'A'.repeat(2 ** 21)}`,
  ])('are left where they are no such text', async (text) =>
    expect((await read(text)).toString() === text).toBe(true),
  );

  it('leave the event loop its turns, however large they are', async () => {
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const bytes = Buffer.alloc(40 * 1024 * 1024, 'x');
    const { message } = await files.sent({ message: messageOf(bytes) });
    const sentIn = turns;
    expect(bytesIn(await files.read(message)).equals(bytes)).toBe(true);
    clearInterval(ticking);
    expect([sentIn > 5, turns - sentIn > 5]).toEqual([true, true]);
  });
});
