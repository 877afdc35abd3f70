import { LegacyRestTransport as SdkTransport } from '@a2a-js/sdk/compat/v0_3/client';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { AgentExchange } from './agent-exchange.js';
import { fetchOver } from './exchange-fetch.js';
import { LegacyAppends } from './legacy-appends.js';

type Stream = SdkTransport['sendMessageStream'];
type Subscription = SdkTransport['resubscribeTask'];

/** HTTP+JSON of protocol 0.3: the SDK's transport, with what it loses of an event. For one call. */
export class LegacyRestTransport extends SdkTransport {
  private readonly appends: LegacyAppends;

  constructor(endpoint: string, exchange: AgentExchange) {
    const appends = new LegacyAppends();
    super({ endpoint, fetchImpl: fetchOver(exchange, (event) => appends.note(event)) });
    this.appends = appends;
  }

  override sendMessageStream(
    ...call: Parameters<Stream>
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.appends.restored(super.sendMessageStream(...call));
  }

  override resubscribeTask(
    ...call: Parameters<Subscription>
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.appends.restored(super.resubscribeTask(...call));
  }
}
