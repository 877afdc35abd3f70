import type { JsonObject } from './json.js';

/**
 * What the servers of langgraph-api 0.16.7 and agno 3.1.10 write, read in their sources and then off the wire in
 * November 2026: the shapes, not their code.
 */

const IDS = { taskId: 't', contextId: 'c' };

/** `langgraph dev`: the first event as 1.0 has it, the others as 0.3 has them, with the enums of 1.0. */
export function langGraphEvents(texts: readonly string[]): JsonObject[] {
  const said = (text: string): JsonObject => ({
    kind: 'message',
    role: 'ROLE_AGENT',
    parts: [{ kind: 'text', text }],
    messageId: `m-${text}`,
    ...IDS,
  });
  const status = (state: string, more: JsonObject = {}, final = false): JsonObject => ({
    ...IDS,
    kind: 'status-update',
    status: { state, ...more, timestamp: '2026-11-22T10:00:00.000000+00:00' },
    final,
  });
  return [
    { task: { id: 't', contextId: 'c', kind: 'task', status: { state: 'TASK_STATE_SUBMITTED' } } },
    ...texts.map((text) => status('TASK_STATE_WORKING', { message: said(text) })),
    {
      ...IDS,
      kind: 'artifact-update',
      artifact: langGraphArtifact(texts),
      append: false,
      lastChunk: true,
    },
    status('TASK_STATE_COMPLETED', {}, true),
  ];
}

/** Its task, asked for: bare, with parts as 0.3 has them. */
export function langGraphTask(texts: readonly string[]): JsonObject {
  return {
    id: 't',
    contextId: 'c',
    kind: 'task',
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [langGraphArtifact(texts)],
  };
}

function langGraphArtifact(texts: readonly string[]): JsonObject {
  const file = {
    bytes: Buffer.from('a file').toString('base64'),
    mimeType: 'text/plain',
    name: 'f',
  };
  return {
    artifactId: 'a',
    name: 'Assistant Response',
    parts: [
      { kind: 'text', text: texts.join('') },
      { kind: 'file', file },
    ],
  };
}

/** AgentOS of Agno: what it says comes as messages of the task, and the whole task after its end. */
export function agnoEvents(chunks: readonly string[], state = 'completed'): JsonObject[] {
  const message = (text: string, more: JsonObject): JsonObject => ({
    kind: 'message',
    messageId: 'm',
    role: 'agent',
    parts: [{ kind: 'text', text }],
    ...IDS,
    ...more,
  });
  const status = (state: string, final: boolean): JsonObject => ({
    kind: 'status-update',
    ...IDS,
    status: { state },
    final,
  });
  const content = { metadata: { agno_content_category: 'content' } };
  return [
    status('working', false),
    ...chunks.map((text) => message(text, content)),
    status(state, true),
    {
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: { state },
      history: [message(chunks.join(''), {})],
    },
  ];
}

/** The same story in the form of each version, with a file. */
export function eventsOf(version: '1.0' | '0.3'): JsonObject[] {
  return version === '1.0'
    ? [
        { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } },
        { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_WORKING' } } },
        {
          artifactUpdate: {
            ...IDS,
            artifact: {
              artifactId: 'a',
              parts: [{ text: 'x' }, { raw: 'eA==', filename: 'f', mediaType: 'text/plain' }],
            },
          },
        },
        { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
      ]
    : [
        { kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } },
        { kind: 'status-update', ...IDS, status: { state: 'working' }, final: false },
        {
          kind: 'artifact-update',
          ...IDS,
          artifact: {
            artifactId: 'a',
            parts: [
              { kind: 'text', text: 'x' },
              { kind: 'file', file: { bytes: 'eA==', name: 'f', mimeType: 'text/plain' } },
            ],
          },
        },
        { kind: 'status-update', ...IDS, status: { state: 'input-required' }, final: true },
      ];
}
