import { describe, expect, it } from '@jest/globals';
import { formOfRefusal, formOfStatus } from './file-forms.js';

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
