import { authenticationHeaders, credential } from './credential';
import { hubUrl } from './place';
import { ApiProblem, problemOf } from './problem';
import { sessionEnded } from './session-end';

/** The version of A2A that the console speaks to the hub. */
export const A2A_VERSION = '1.0';

/** The key of metadata under which a message says who is to handle it. */
export const ROUTING_EXTENSION = 'urn:a2a-hub:routing:v1';

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: readonly unknown[] };
}

/** Calls an operation of A2A by JSON-RPC, as any client would. Throws an ApiProblem for what the hub refuses. */
export async function callA2a(method: string, params: unknown): Promise<unknown> {
  const response = await fetch(hubUrl('a2a'), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'A2A-Version': A2A_VERSION,
      ...authenticationHeaders(),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  if (!response.ok) {
    if (response.status === 401 && credential().kind !== 'none') sessionEnded();
    throw await problemOf(response);
  }
  const { result, error } = (await response.json()) as RpcAnswer;
  if (error === undefined) return result;
  throw new ApiProblem(
    response.status,
    reasonOf(error) ?? 'REFUSED',
    error.message,
    [],
    {},
    response.headers.get('x-request-id'),
    error,
  );
}

/** The reason by which programs decide, such as `NO_ROUTE`, of a JSON-RPC error. */
export function reasonOf(error: { readonly data?: readonly unknown[] }): string | undefined {
  const info = error.data?.find(
    (each): each is { reason: string } =>
      typeof each === 'object' && each !== null && 'reason' in each,
  );
  return info?.reason;
}
