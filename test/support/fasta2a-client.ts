import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.js';

/** The bodies of the client of fasta2a 0.5.0, as recorded. */
export const fasta2aRequests = {
  send: (text: string, more: JsonObject = {}, message: JsonObject = {}): JsonObject => ({
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'message/send',
    params: {
      message: {
        role: 'user',
        parts: [{ kind: 'text', text }],
        kind: 'message',
        messageId: randomUUID(),
        ...message,
      },
      metadata: { skillTags: ['upper'] },
      ...more,
    },
  }),
  get: (id: string): JsonObject => ({
    jsonrpc: '2.0',
    id: null,
    method: 'tasks/get',
    params: { id },
  }),
  cancel: (id: string): JsonObject => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'tasks/cancel',
    params: { id },
  }),
};

const STATES =
  'submitted working input-required completed canceled failed rejected auth-required unknown'.split(
    ' ',
  );

/**
 * What the library's strict validation of a Task asks for; the names of the members at fault. (Unknown
 * members are ignored by it.)
 */
export function faultsForFasta2a(task: JsonObject): string[] {
  const faults: string[] = [];
  const need = (holds: boolean, what: string): void => {
    if (!holds) faults.push(what);
  };
  need(typeof task.id === 'string', 'id');
  need(typeof task.contextId === 'string', 'contextId');
  need(task.kind === 'task', 'kind');
  need(STATES.includes(String(task.status?.state)), 'status.state');
  for (const message of (task.history ?? []) as JsonObject[]) {
    need(['user', 'agent'].includes(String(message.role)), 'history.role');
    need(message.kind === 'message', 'history.kind');
    need(typeof message.messageId === 'string', 'history.messageId');
    for (const part of message.parts as JsonObject[]) need(isPart(part), 'history.parts');
  }
  for (const artifact of (task.artifacts ?? []) as JsonObject[]) {
    need(typeof artifact.artifactId === 'string', 'artifacts.artifactId');
    for (const part of artifact.parts as JsonObject[]) need(isPart(part), 'artifacts.parts');
  }
  return faults;
}

function isPart(part: JsonObject): boolean {
  return (
    (part.kind === 'text' && typeof part.text === 'string') ||
    (part.kind === 'file' && typeof part.file === 'object') ||
    (part.kind === 'data' && typeof part.data === 'object')
  );
}
