import { type ReceivedWebhook, type WebhookAnswer, WebhookSink } from '../webhook-sink.js';

/** How a receiver behaves. */
export interface Behaviour {
  readonly name: string;
  /** It must be told everything. */
  readonly isHealthy: boolean;
  /** How it answers; undefined for one that nobody can reach. */
  readonly answer?: WebhookAnswer;
  /** For the others: what the reasons of dead letters, and of a disabled webhook, have to say. */
  readonly why: RegExp;
}

const DISABLED = 'every attempt (at its endpoint )?failed for too long|the webhook is disabled';
const NONE = /^$/;
/** How long a receiver of waves is well, and then not. */
const WAVE_MS = 300;
/** Fewer than the schedule of the hub has. */
const MOST_TRIES = 4;

/** Receivers, each kind at an address (so an endpoint) of its own. `trap` is where redirects lead. */
export function behaviours(trap: string): readonly Behaviour[] {
  const healthy = (name: string, answer: WebhookAnswer): Behaviour => ({
    name,
    isHealthy: true,
    answer,
    why: NONE,
  });
  const broken = (name: string, answer: WebhookAnswer | undefined, why: string): Behaviour => ({
    name,
    isHealthy: false,
    ...(answer !== undefined && { answer }),
    why: new RegExp(`${why}|${DISABLED}`),
  });
  return [
    healthy('well', 200),
    healthy('slow', { status: 204, delayMs: 40 }),
    healthy('flapping', onAttempt(500)),
    healthy('cutting', onAttempt('cut')),
    healthy('throttling', onAttempt({ status: 429, headers: { 'retry-after': '1' } })),
    healthy('in waves', inWaves()),
    broken('failing', 500, 'HTTP 500'),
    broken('gone', 410, 'HTTP 410'),
    broken('hanging', 'hang', 'no answer in time'),
    broken('resetting', 'cut', 'UND_ERR_SOCKET|ECONNRESET'),
    broken('redirecting', { status: 302, headers: { location: trap } }, 'HTTP 302'),
    broken('rejecting', 400, 'HTTP 400: the receiver rejects it'),
    broken('private', undefined, 'may not be called|ENOTFOUND'),
  ];
}

/** Beyond as many bad answers one after the other a receiver would not be healthy; the breaker opens before. */
const MOST_IN_A_ROW = 8;

/** Well for a while, then not, and so on. It takes each event before the hub gives it up, and is never away for long, however slow the machine is. */
function inWaves(): WebhookAnswer {
  const tries = countTries();
  let inARow = 0;
  return ({ headers }: ReceivedWebhook): WebhookAnswer => {
    const isEarly = tries(String(headers['webhook-id'])) < MOST_TRIES;
    const isLow = Math.floor(performance.now() / WAVE_MS) % 2 === 1;
    const isBad = isLow && isEarly && inARow < MOST_IN_A_ROW;
    inARow = isBad ? inARow + 1 : 0;
    return isBad ? 503 : 200;
  };
}

/** How many attempts there were before this one. */
function countTries(): (id: string) => number {
  const tries = new Map<string, number>();
  return (id) => {
    const before = tries.get(id) ?? 0;
    tries.set(id, before + 1);
    return before;
  };
}

/** Answers so to the first attempts at some events, and well from then on. */
function onAttempt(bad: WebhookAnswer): WebhookAnswer {
  const tries = countTries();
  let inARow = 0;
  return ({ headers }: ReceivedWebhook): WebhookAnswer => {
    const id = String(headers['webhook-id']);
    const isBad = tries(id) < id.charCodeAt(id.length - 1) % 3 && inARow < MOST_IN_A_ROW;
    inARow = isBad ? inARow + 1 : 0;
    return isBad ? bad : 200;
  };
}

/** A receiver that listens, or one that cannot be reached at all. */
export class Receiver {
  private constructor(
    readonly behaviour: Behaviour,
    private readonly sink: WebhookSink | undefined,
  ) {}

  static async start(behaviour: Behaviour): Promise<Receiver> {
    const { answer } = behaviour;
    if (answer === undefined) return new Receiver(behaviour, undefined);
    const sink = await WebhookSink.start();
    sink.answer = answer;
    return new Receiver(behaviour, sink);
  }

  /** Where the webhook of this name is. */
  url(name: string): string {
    return this.sink?.url(`/${name}`) ?? `https://${name}.inside.example/hook`;
  }

  /** All that came, by the name of the webhook, oldest first. */
  received(): Map<string, ReceivedWebhook[]> {
    const byName = new Map<string, ReceivedWebhook[]>();
    for (const webhook of this.sink?.received ?? []) {
      const name = webhook.path.slice(1);
      const known = byName.get(name);
      if (known) known.push(webhook);
      else byName.set(name, [webhook]);
    }
    return byName;
  }

  get isReachable(): boolean {
    return this.sink !== undefined;
  }

  /** Requests so far. */
  get count(): number {
    return this.sink?.received.length ?? 0;
  }

  async close(): Promise<void> {
    await this.sink?.close();
  }
}
