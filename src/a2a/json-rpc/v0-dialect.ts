import { isRecord } from '../../common/is-record.js';
import { Injectable } from '@nestjs/common';
import { hubErrorOf } from '../../common/hub-error.js';
import type { CallContext } from '../../auth/index.js';
import { rpcErrorOf } from '../error-map.js';
import { jsonText, quickJsonText } from '../../common/json-text.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { statedVersion } from '../requested-version.js';
import type { EventSource } from '../sse/event-source.js';
import { LEGACY_OPERATIONS, type LegacyItem } from '../v0-operations.js';
import type { RpcDialect, RpcOutcome } from './rpc-dialect.js';
import { type Envelope, type RpcId, failureText, success, successJson } from './envelope.js';
import { LEGACY_METHODS } from './v0-methods.js';

/** JSON-RPC of A2A 0.3 and 0.2.5: the operations of 0.x, read as methods. */
@Injectable()
export class V0Dialect implements RpcDialect {
  constructor(private readonly handler: HubRequestHandler) {}

  has(method: string): boolean {
    return LEGACY_METHODS.has(method);
  }

  counterpart(method: string): string | undefined {
    return LEGACY_OPERATIONS.get(method)?.method;
  }

  async run(
    { id, method, params: raw }: Envelope,
    call: CallContext,
    requested: string | undefined,
  ): Promise<RpcOutcome> {
    const { operation, renamed, answered } = LEGACY_METHODS.get(method)!;
    const params = renamed !== undefined && isRecord(raw) ? renamed(raw) : raw;
    if (operation.kind === 'stream') {
      const items = operation.run(this.handler, params, call);
      // Clients before 0.3, and most of 0.3, state no version.
      const refusesAsEvent =
        operation.name === 'SubscribeToTask' && statedVersion(requested) !== '0.3';
      const source = sourceOf(refusesAsEvent ? withRefusal(items) : items, id);
      return { kind: 'stream', source };
    }
    const result = await operation.run(this.handler, params, call);
    const shown = answered !== undefined && isRecord(result) ? answered(result) : result;
    return { kind: 'answer', text: await jsonText(success(id, shown)) };
  }
}

/** The only item of a stream that was refused. */
interface Refusal {
  readonly refusal: unknown;
}

function sourceOf(
  items: AsyncGenerator<LegacyItem | Refusal, void, undefined>,
  id: RpcId,
): EventSource<LegacyItem | Refusal> {
  const failure = (thrown: unknown): string => failureText(id, rpcErrorOf(thrown, '0.3'));
  return {
    items,
    render: (item) =>
      'refusal' in item
        ? { seq: undefined, text: failure(item.refusal) }
        : { seq: item.seq, text: successJson(id, quickJsonText(item.event)) },
    failure,
  };
}

/**
 * A stream that is refused, as a stream of one error. 0.2.5 wants that of `tasks/resubscribe`, and its
 * clients, as those of Python's 0.3, read nothing else there; whoever states 0.3 reads plain JSON. What is
 * wrong with the params has been answered as plain JSON before: `run` throws it.
 */
async function* withRefusal(
  items: AsyncGenerator<LegacyItem, void, undefined>,
): AsyncGenerator<LegacyItem | Refusal, void, undefined> {
  let first: IteratorResult<LegacyItem, void>;
  try {
    first = await items.next();
  } catch (thrown) {
    if (hubErrorOf(thrown).reason === 'INTERNAL') throw thrown;
    yield { refusal: thrown };
    return;
  }
  try {
    if (!first.done) yield first.value;
    yield* items;
  } finally {
    await items.return();
  }
}
