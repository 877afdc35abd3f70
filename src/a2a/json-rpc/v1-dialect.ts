import { Injectable } from '@nestjs/common';
import type { CallContext } from '../../auth/index.js';
import type { StreamItem } from '../../tasks/index.js';
import { rpcErrorOf } from '../error-map.js';
import { jsonText } from '../../common/json-text.js';
import { HubRequestHandler } from '../hub-request-handler.js';
import { itemText } from '../item-text.js';
import { OPERATIONS } from '../operations.js';
import type { EventSource } from '../sse/event-source.js';
import type { RpcDialect, RpcOutcome } from './rpc-dialect.js';
import { type Envelope, failureText, success, successJson } from './envelope.js';
import { LEGACY_METHODS } from './v0-methods.js';

/** JSON-RPC of A2A 1.0 (§9): the operation table, read as methods. */
@Injectable()
export class V1Dialect implements RpcDialect {
  constructor(private readonly handler: HubRequestHandler) {}

  has(method: string): boolean {
    return OPERATIONS.has(method);
  }

  counterpart(method: string): string | undefined {
    return LEGACY_METHODS.get(method)?.operation.name;
  }

  async run({ id, method, params }: Envelope, call: CallContext): Promise<RpcOutcome> {
    const operation = OPERATIONS.get(method)!;
    if (operation.kind === 'stream') {
      const source: EventSource<StreamItem> = {
        items: operation.run(this.handler, params, call),
        render: (item) => ({ seq: item.seq, text: successJson(id, itemText(item)) }),
        failure: (thrown) => failureText(id, rpcErrorOf(thrown, '1.0')),
      };
      return { kind: 'stream', source };
    }
    const result = await operation.run(this.handler, params, call);
    return { kind: 'answer', text: await jsonText(success(id, result)) };
  }
}
