import type { CallContext } from '../../auth/index.js';
import type { JsonText } from '../../common/json-text.js';
import type { EventSource } from '../sse/event-source.js';
import type { Envelope } from './envelope.js';

/** What a method gave: the text of one answer, or a stream of them. */
export type RpcOutcome =
  | { readonly kind: 'answer'; readonly text: JsonText }
  | { readonly kind: 'stream'; readonly source: EventSource };

/** The JSON-RPC methods of one version of A2A. */
export interface RpcDialect {
  /** Whether the method is one of this version's. */
  has(method: string): boolean;
  /** The method of this version that does what `method` does in the other one. */
  counterpart(method: string): string | undefined;
  /**
   * Runs a method that {@link has} knows; rejects with what was thrown. `asked` is the `A2A-Version` that
   * the request states, if any.
   */
  run(envelope: Envelope, call: CallContext, requested: string | undefined): Promise<RpcOutcome>;
}
