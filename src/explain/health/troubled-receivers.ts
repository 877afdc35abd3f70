import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import {
  deadCauseOf,
  DeliveryService,
  EndpointsService,
  type EndpointView,
  isGone,
  partsOf,
  type ReceiverState,
  receiverStateOf,
  rejectsEvents,
} from '../../push/index.js';

/** Lost events are of this time. */
const LOST_MS = 24 * 3_600_000;
/** Lost events of all receivers that are looked at, the newest. */
const MOST_LOST = 1000;

/** As the list of receivers has them, in the order of their urgency. */
const TROUBLE = ['disabled', 'failing'] as const;

/** A receiver that fails or was disabled, or has lost events. */
export interface TroubledReceiver {
  readonly origin: string;
  readonly organization: string;
  readonly state: ReceiverState;
  /** Of one that is failing: it answers, but did not accept the last event. */
  readonly rejects: boolean;
  /** Of one that rejects events: its last answer was 410, and the webhook that got it is disabled. */
  readonly gone: boolean;
  /** Of one that is neither failing nor disabled, why it rejected most of those that it did, else why most were lost. */
  readonly lastError: string | null;
  /** Webhooks that wait for it. */
  readonly waiting: number;
  /** Its dead letters that were given up in the last 24 hours, without those that the owner of a webhook ended. */
  readonly lost: number;
  /** Those of them that it rejected. */
  readonly rejected: number;
}

export interface ReceiversInTrouble {
  readonly receivers: readonly TroubledReceiver[];
  /** More events were lost than were looked at: by other receivers as well, or more of these. */
  readonly isLeast: boolean;
}

/** The receivers that somebody should look at, of those that a caller sees. */
@Injectable()
export class TroubledReceivers {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly deliveries: DeliveryService,
    private readonly clock: Clock,
  ) {}

  /** Those that are disabled first, then those that fail, then those that lost most; `most` of them. */
  async find(caller: Principal, most: number): Promise<ReceiversInTrouble> {
    const since = new Date(this.clock.now().getTime() - LOST_MS).toISOString();
    const [{ receivers, isLeast }, ...pages] = await Promise.all([
      this.deliveries.lost({ since }, MOST_LOST, caller),
      ...TROUBLE.map((state) => this.endpoints.list({ state }, most, undefined, caller)),
    ]);
    const lost = new Map(receivers.map((each) => [each.endpoint, each]));
    const found = pages.flatMap(({ items }) =>
      items.map((view): TroubledReceiver => {
        const { endpoint, lastError, waiting } = view;
        const { count = 0, rejected = 0 } = lost.get(endpoint) ?? {};
        lost.delete(endpoint);
        return {
          ...partsOf(endpoint),
          ...stateOf(view),
          lastError,
          waiting,
          lost: count,
          rejected,
        };
      }),
    );
    const losing = [...lost.values()].slice(0, Math.max(0, most - found.length));
    const views = await this.endpoints.named(
      losing.map(({ endpoint }) => endpoint),
      caller,
    );
    const viewOf = new Map(views.map((view) => [view.endpoint, view]));
    const others = losing.map(({ endpoint, count, rejected, reasons }): TroubledReceiver => {
      const view = viewOf.get(endpoint);
      return {
        ...partsOf(endpoint),
        ...(view ? stateOf(view) : UNTRIED),
        lastError:
          view && isGone(view)
            ? view.lastError
            : (reasons.find(({ reason }) => showsWhy(reason, rejected))?.reason ?? null),
        waiting: view?.waiting ?? 0,
        lost: count,
        rejected,
      };
    });
    return { receivers: [...found, ...others].slice(0, most), isLeast };
  }
}

const UNTRIED = { state: 'untried', rejects: false, gone: false } as const;

function stateOf(view: EndpointView): Pick<TroubledReceiver, keyof typeof UNTRIED> {
  return { state: receiverStateOf(view), rejects: rejectsEvents(view), gone: isGone(view) };
}

/** Whether it says why events were lost: of one that rejected some, why it did. */
function showsWhy(reason: string | null, rejected: number): boolean {
  return rejected === 0 || deadCauseOf(reason) === 'rejected';
}
