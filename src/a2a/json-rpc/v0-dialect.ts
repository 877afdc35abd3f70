import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import { Injectable } from '@nestjs/common';
import type { CallContext } from '../../routing/index.js';
import { rpcErrorOf } from '../error-map.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { SdkRequestHandler, lastSeqOf, sdkContextOf, thrownIn } from '../sdk-request-handler.js';
import type { EventSource } from '../sse/event-source.js';
import { checkParams } from '../validation/check-params.js';
import { isObject } from '../validation/shape.js';
import type { RpcDialect, RpcOutcome } from './dialect.js';
import { type Envelope, type RpcId, failureText } from './envelope.js';
import { LEGACY_METHODS, LEGACY_NAME_OF, type LegacyMethod } from './v0-methods.js';

/** An answer as the SDK's handler makes it. */
type SdkAnswer = Exclude<
  Awaited<ReturnType<LegacyJsonRpcTransportHandler['handle']>>,
  AsyncGenerator<unknown, unknown, unknown>
>;

/**
 * JSON-RPC of A2A 0.3 and 0.2.5. The SDK's compatibility layer translates; what it does not check,
 * or reads wrongly, is settled here before.
 */
@Injectable()
export class V0Dialect implements RpcDialect {
  private readonly sdk: LegacyJsonRpcTransportHandler;

  constructor(handler: HubRequestHandler) {
    this.sdk = new LegacyJsonRpcTransportHandler(new SdkRequestHandler(handler));
  }

  has(method: string): boolean {
    return LEGACY_METHODS.has(method);
  }

  counterpart(method: string): string | undefined {
    return LEGACY_NAME_OF.get(method);
  }

  async run(envelope: Envelope, call: CallContext): Promise<RpcOutcome> {
    const method = LEGACY_METHODS.get(envelope.method)!;
    const raw = renamed(method, envelope.params);
    checkParams(method.shape, raw);
    const params = raw as Readonly<Record<string, unknown>>;
    const context = sdkContextOf(call, method.details?.(params) ?? {});
    const request = {
      jsonrpc: '2.0',
      id: envelope.id,
      method: method.name,
      params: method.shape.known(params),
    };
    const answer = await this.sdk.handle(request, context);
    if (Symbol.asyncIterator in answer) {
      return { kind: 'stream', source: sourceOf(answer, context, envelope.id) as EventSource };
    }
    if (answer.error !== undefined) throw failureOf(answer.error, context);
    return { kind: 'answer', text: JSON.stringify(answered(method, answer)) };
  }
}

/** The params were right, so an error that no operation threw is one of the translation itself. */
function failureOf(error: unknown, context: ServerCallContext): unknown {
  return thrownIn(context) ?? new Error('an answer has no 0.3 form', { cause: error });
}

function renamed({ renamed: rename }: LegacyMethod, params: unknown): unknown {
  return rename !== undefined && isObject(params) ? rename(params) : params;
}

function answered({ answered: rename }: LegacyMethod, answer: SdkAnswer): SdkAnswer {
  return rename !== undefined && isObject(answer.result)
    ? { ...answer, result: rename(answer.result) }
    : answer;
}

function sourceOf(
  items: AsyncGenerator<SdkAnswer, void, undefined>,
  context: ServerCallContext,
  id: RpcId,
): EventSource<SdkAnswer> {
  return {
    items,
    render: (answer) => ({ seq: lastSeqOf(context), text: JSON.stringify(closing(answer)) }),
    failure: (thrown) => failureText(id, rpcErrorOf(thrown, '0.3')),
  };
}

/** A stream of the hub ends at a question, which 0.x says with `final`; the SDK says it at ends only. */
function closing(answer: SdkAnswer): SdkAnswer {
  const { result } = answer;
  if (!isObject(result) || result['kind'] !== 'status-update') return answer;
  const { status } = result;
  if (!isObject(status) || status['state'] !== 'input-required') return answer;
  return { ...answer, result: { ...result, final: true } };
}
