import type { JsonObject } from './json.js';

/**
 * What servers of frameworks wrote when they were asked for the stream of a message, off the wire in November
 * 2026, with ids and texts of ours: google-adk 2.13.0, langgraph-api 0.16.7, pydantic-ai 2.66.0 on fasta2a 2.1.1,
 * strands-agents 1.62.0, agent-framework-a2a 1.0.0b261022, beeai-framework 0.1.85, agno 3.1.10, a2a-java 0.3.3.Final.
 */

const IDS = { taskId: 't', contextId: 'c' };
const AT = '2026-11-22T17:58:06.538891';

const status10 = (state: string, message?: JsonObject): JsonObject => ({
  statusUpdate: {
    ...IDS,
    status: { state: `TASK_STATE_${state}`, ...(message && { message }), timestamp: AT },
  },
});

const status03 = (state: string, text?: string, final = false): JsonObject => ({
  ...IDS,
  kind: 'status-update',
  final,
  status: { state, timestamp: `${AT}+00:00`, ...(text !== undefined && { message: said03(text) }) },
});

const said03 = (text: string): JsonObject => ({
  ...IDS,
  kind: 'message',
  messageId: `m-${text}`,
  role: 'agent',
  parts: [{ kind: 'text', text }],
});

const begun10: JsonObject = {
  task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED', timestamp: AT } },
};

/** The pieces of an artifact are appended from the first one on, and then the whole of it takes their place. */
export function pydanticAi(words: readonly string[]): JsonObject[] {
  const update = (text: string, more: JsonObject): JsonObject => ({
    artifactUpdate: { ...IDS, artifact: { artifactId: 'a', parts: [{ text }] }, ...more },
  });
  return [
    begun10,
    status10('WORKING'),
    ...words.map((word) => update(word, { append: true, lastChunk: false })),
    update(words.join(''), { append: false, lastChunk: true }),
    // Its stream may show the last status twice.
    status10('COMPLETED'),
    status10('COMPLETED'),
  ];
}

/** No task at first, and the answer is the message of the last status. */
export function beeAi(answer: string): JsonObject[] {
  return [status03('submitted'), status03('working'), status03('completed', answer, true)];
}

/** What the model says comes word by word as messages of `working`, then as one artifact. */
export function strands(words: readonly string[]): JsonObject[] {
  return [
    { kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } },
    ...words.map((word) => status03('working', word)),
    {
      ...IDS,
      kind: 'artifact-update',
      artifact: {
        artifactId: 'a',
        name: 'agent_response',
        parts: [{ kind: 'text', text: `${words.join('')}\n` }],
      },
    },
    status03('completed', undefined, true),
  ];
}

/** Of a hundred streams a few come like this: what was made last comes before what was made first. */
export function javaSdk(words: readonly string[]): JsonObject[] {
  const piece = (text: string, index: number): JsonObject => ({
    ...IDS,
    kind: 'artifact-update',
    append: index > 0,
    lastChunk: index === words.length - 1,
    artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] },
  });
  const pieces = words.map(piece);
  return [
    status03('submitted'),
    status03('working'),
    ...pieces.slice(-1),
    status03('completed', undefined, true),
    ...pieces.slice(0, -1),
  ];
}

/** The same task as the agent tells it when it is asked. */
export function javaSdkTask(words: readonly string[]): JsonObject {
  const parts = words.map((text) => ({ kind: 'text', text }));
  const status = { state: 'completed', timestamp: AT };
  return { ...IDS, id: 't', kind: 'task', status, artifacts: [{ artifactId: 'a', parts }] };
}

/** A call of a tool that a person has to answer: first as work, then once more as the question. */
export function googleAdkAsking(): JsonObject[] {
  const call = {
    messageId: 'm-call',
    role: 'ROLE_AGENT',
    parts: [
      {
        data: { name: 'ask_user', args: { question: 'Which colour?' }, id: 'call-1' },
        metadata: { adk_is_long_running: true, adk_type: 'function_call' },
      },
    ],
  };
  return [
    begun10,
    status10('WORKING'),
    status10('WORKING', call),
    status10('INPUT_REQUIRED', call),
  ];
}

/** What it asks is an artifact; the status says nothing of it. */
export function langGraphAsking(): JsonObject[] {
  const status = { state: 'TASK_STATE_INPUT_REQUIRED', timestamp: `${AT}+00:00` };
  return [
    { task: { ...(begun10['task'] as JsonObject), kind: 'task' } },
    {
      ...IDS,
      kind: 'artifact-update',
      artifact: {
        artifactId: 'i',
        name: 'Interrupt',
        description: 'Agent requires input to continue',
        parts: [{ kind: 'data', data: { id: 'interrupt-1', value: 'Which colour?' } }],
      },
    },
    { ...IDS, kind: 'status-update', status, final: true },
  ];
}

/** The interface has no version, and beside it stand the members of a card of 0.3. */
export function agentFrameworkCard(url: string): JsonObject {
  return {
    supportedInterfaces: [{ url: `${url}/`, protocolBinding: 'JSONRPC' }],
    url: `${url}/`,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3',
    skills: [],
  };
}

/** Its address is that of one method; what it leaves out is null. */
export function agnoCard(url: string): JsonObject {
  return {
    url: `${url}/a2a/agents/echo/v1/message:stream`,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
    additionalInterfaces: null,
    provider: null,
    security: null,
    securitySchemes: null,
    signatures: null,
  };
}

/** How it takes a cancel: the task in nothing but its state. */
export const AGNO_CANCELED = {
  events: [],
  answer: { result: { kind: 'task', id: 't', contextId: 'other', status: { state: 'canceled' } } },
};
