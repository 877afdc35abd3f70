import { authenticationHeaders } from './credential';
import { newId } from './new-id';
import { noteOwnChange } from './own-changes';
import { hubUrl } from './place';
import { ApiProblem, type FieldViolation, problemOf } from './problem';
import { noteSessionEnd } from './session-end';

/** The key of metadata under which a message says who is to handle it. */
export const ROUTING_EXTENSION = 'urn:a2a-hub:routing:v1';

/** A part of a message or an artifact, in the JSON of A2A 1.0. One of `text`, `raw`, `url` and `data` is there. */
export interface Part {
  readonly text?: string;
  /** Base64. */
  readonly raw?: string;
  readonly url?: string;
  readonly data?: unknown;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Message {
  readonly messageId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts?: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts?: readonly Part[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TaskStatus {
  /** `TASK_STATE_WORKING`. */
  readonly state: string;
  readonly message?: Message;
  readonly timestamp?: string;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly history?: readonly Message[];
  readonly artifacts?: readonly Artifact[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What one event of a stream holds: one of its members. */
export interface StreamResponse {
  readonly task?: Task;
  readonly message?: Message;
  readonly statusUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly status: TaskStatus;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly artifactUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly artifact: Artifact;
    readonly append?: boolean;
    readonly lastChunk?: boolean;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
}

/** What the hub notes of who works on something. */
export function routingOf(metadata: Task['metadata']): Readonly<Record<string, unknown>> {
  const found = metadata?.[ROUTING_EXTENSION];
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}

/** The agent that something is from, where the hub says so. */
export function agentOf({ metadata }: Pick<Task, 'metadata'>): string | undefined {
  const { agentId } = routingOf(metadata);
  return typeof agentId === 'string' ? agentId : undefined;
}

/** `input-required` for `TASK_STATE_INPUT_REQUIRED`. */
export function stateName(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

/** The headers of a call of the A2A API by who is signed in. */
export function a2aHeaders(): Record<string, string> {
  return { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...authenticationHeaders() };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Sends a request of JSON-RPC to the A2A API. */
export async function postA2a(
  request: { readonly method: string },
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const isChange = !request.method.startsWith('Get');
  if (isChange) noteOwnChange();
  const response = await fetch(hubUrl('a2a'), {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
  noteSessionEnd(response);
  if (isChange) noteOwnChange();
  return response;
}

/** Calls one method of the A2A API by JSON-RPC. What the hub refuses is thrown as an ApiProblem. */
export async function callA2a<Result>(
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<Result> {
  const request = { jsonrpc: '2.0', id: newId(), method, params };
  const response = await postA2a(request, a2aHeaders(), signal);
  const text = await response.clone().text();
  const answer = rpcAnswer(text);
  if (answer?.error) throw problemOfRpc(answer.error, response);
  if (!response.ok || answer === undefined) throw await problemOf(response);
  return answer.result as Result;
}

interface RpcAnswer {
  readonly jsonrpc: string;
  readonly result?: unknown;
  readonly error?: RpcError;
}

function rpcAnswer(text: string): RpcAnswer | undefined {
  try {
    const read = JSON.parse(text) as unknown;
    return typeof read === 'object' && read !== null && 'jsonrpc' in read
      ? (read as RpcAnswer)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The problem in an error of JSON-RPC, whose `data` lists details as google.rpc has them. */
export function problemOfRpc(error: RpcError, response?: Response): ApiProblem {
  const details = (Array.isArray(error.data) ? error.data : []) as readonly Readonly<
    Record<string, unknown>
  >[];
  const reason = details.find((each) => typeof each['reason'] === 'string')?.['reason'];
  const fields = details.find((each) => Array.isArray(each['fieldViolations']))?.[
    'fieldViolations'
  ];
  return new ApiProblem(
    response === undefined || response.ok ? 400 : response.status,
    typeof reason === 'string' ? reason : `JSON_RPC_${error.code}`,
    error.message,
    (fields ?? []) as readonly FieldViolation[],
    {},
    response?.headers.get('x-request-id') ?? null,
    error,
  );
}
