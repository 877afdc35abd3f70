import { Module } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { WebhookEgress } from '../common/egress/webhook-egress.js';
import { AppConfig, PublicUrl } from '../config/index.js';
import { SqlReceiverStore } from './receivers/persistence/sql-receiver.store.js';
import { ReceiverChallenge } from './receivers/receiver-challenge.js';
import { ReceiverGate } from './receivers/receiver-gate.js';
import { receiverLimits } from './receivers/receiver-limits.js';
import { ReceiverStore } from './receivers/receiver-store.js';

/** What goes to receivers that have not agreed to be called, and how they agree. */
@Module({
  providers: [
    { provide: ReceiverStore, useClass: SqlReceiverStore },
    {
      provide: ReceiverGate,
      inject: [ReceiverStore, WebhookEgress, Clock, AppConfig, PublicUrl],
      useFactory: (
        store: ReceiverStore,
        egress: WebhookEgress,
        clock: Clock,
        { push }: AppConfig,
        address: PublicUrl,
      ) => {
        const originOfHub = (): string => new URL(address.base).hostname;
        const challenge = new ReceiverChallenge(egress, push, originOfHub);
        return new ReceiverGate(store, challenge, clock, receiverLimits(push), push.trustedHosts);
      },
    },
  ],
  exports: [ReceiverGate],
})
export class ReceiversModule {}
