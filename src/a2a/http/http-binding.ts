import type { IncomingHttpHeaders } from 'node:http';
import type { HubError } from '../../common/hub-error.js';
import type { CallContext } from '../../auth/index.js';
import type { CallSource } from '../context-of-headers.js';
import type { ServedInterface } from '../capabilities.js';
import type { JsonText } from '../../common/json-text.js';
import type { EventSource } from '../sse/event-source.js';

/**
 * A binding in one version over HTTP: the routes it serves and how it tells of failures. `HttpBindings.mount`
 * does what all of them share.
 */
export interface HttpBinding {
  /** What is spoken here. */
  readonly interfaces: readonly ServedInterface[];
  readonly routes: readonly HttpRoute[];
  /** Its base paths (`/a2a`): an unknown path below them is a 404 in its form. */
  readonly below: readonly string[];
  /** Methods of its paths that others serve. */
  readonly elsewhere?: Readonly<Record<string, readonly string[]>>;
  /** The `Content-Type` of its answers and failures, by what `Accept` prefers; the first one is the usual. */
  readonly contentTypes: readonly string[];
  /** How a failure looks to this request: anything that a route, or the kit before it, has thrown. */
  failure(thrown: unknown, request: FailedRequest): HttpFailure;
}

/** One method of one path; a path's other methods answer 405 with `Allow`. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As Fastify writes it: `/a2a/tasks/:id`. A parameter `agentId` names the agent of the call. */
  readonly url: string;
  /** Whether it answers with a stream; such a GET has no HEAD. */
  readonly streaming?: boolean;
  answer(request: HttpRequest): Promise<HttpAnswer>;
}

/** A request that has reached its route: its caller is known and its body is read. */
export interface HttpRequest {
  /** The headers, the caller, the agent of the path, and the signal that the client is gone. */
  readonly source: CallSource;
  /** `A2A-Version`: the header, else the query parameter; undefined when there is neither. */
  readonly requested: string | undefined;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query; one that is repeated is an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The body as it came; undefined when there is none and no `Content-Type` either. GET reads none. */
  readonly body: string | undefined;
}

/** What a failure may depend on. */
export interface FailedRequest {
  readonly requested: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** What a route gave: the text of one answer, or a stream. `call` says which extensions are active. */
export type HttpAnswer =
  | { readonly kind: 'answer'; readonly call: CallContext; readonly text: JsonText }
  | {
      readonly kind: 'stream';
      readonly call: CallContext;
      readonly source: EventSource;
      /** What is thrown in place of the error that refuses the stream at its first item. */
      readonly refused?: (thrown: unknown) => unknown;
    };

/** A failure as it is written; the headers that belong to its error are added by the kit. */
export interface HttpFailure {
  readonly error: HubError;
  readonly status: number;
  readonly text: string;
  /** `error.code` of JSON-RPC, for the log: its status does not tell. */
  readonly code?: number;
}
