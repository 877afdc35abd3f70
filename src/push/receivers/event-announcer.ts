import { Injectable } from '@nestjs/common';
import { Log } from '../../common/logger.js';
import { Signal } from '../../common/signal.js';
import { originOf } from './endpoint.js';
import type { PushEvent } from './push-event.js';

const TEXT: Readonly<Record<PushEvent['type'], string>> = {
  'endpoint.failing': 'a webhook endpoint is failing',
  'endpoint.disabled': 'a webhook endpoint was disabled',
  'endpoint.recovered': 'a webhook endpoint has recovered',
  'webhook.disabled': 'a webhook was disabled',
};

/** Announces events after their commit: in the log, and to their followers in this process. */
@Injectable()
export class EventAnnouncer {
  private readonly news = new Signal();

  constructor(private readonly log: Log) {}

  announce(events: readonly PushEvent[]): void {
    for (const event of events) this.write(event);
    if (events.length > 0) this.news.emit();
  }

  /** Calls `listener` when there are new events, until the returned function is called. */
  onNews(listener: () => void): () => void {
    return this.news.listen(listener);
  }

  private write(event: PushEvent): void {
    const { id, type, organization, endpoint, taskId, configId, reason } = event;
    const details = {
      eventId: id,
      event: type,
      organization,
      origin: originOf(endpoint),
      ...(configId === null ? {} : { taskId, configId }),
      reason,
    };
    if (type === 'endpoint.recovered') this.log.info(details, TEXT[type]);
    else this.log.warn(details, TEXT[type]);
  }
}
