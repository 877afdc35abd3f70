import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import type { Agent } from '../agent.js';
import { AgentRegistry } from './agent-registry.js';

/** The deviations from the protocol that the hub tolerates, by kind, as operators read them. */
export const DEVIATIONS = {
  'other-form': 'It writes tasks, messages or events in the form of another protocol version.',
  'snake-case': 'It writes the names of members in snake_case.',
  'cannot-stream': 'Its card says that it can stream, and it refuses to.',
  'unreadable-event': 'It sends events that cannot be read; its task is asked for instead.',
  'message-in-task': 'It sends messages while it works on a task; they are shown as progress.',
  'address-per-method':
    'Its card gives the address of one method; the others are called at addresses beside it.',
  'task-after-end':
    'It sends its whole task after the event that ends it; they are taken as one end.',
  'out-of-order':
    'Its stream brings artifacts behind the end of the task; the task is asked for then.',
  'invalid-usage':
    'It reports usage that is no count (negative, a text, or beyond all measure); that is ignored.',
} as const;

export type DeviationKind = keyof typeof DEVIATIONS;

export const DEVIATION_KINDS = Object.keys(DEVIATIONS) as DeviationKind[];

export interface Deviation {
  readonly kind: DeviationKind;
  readonly since: Date;
}

interface Noted {
  /** The card it was seen under: another one may mean another server. */
  readonly card: string;
  readonly since: Map<DeviationKind, Date>;
}

/**
 * The deviations of agents that this process has tolerated: each kind once, and since when. Like health they are
 * kept in memory, so that a process starts with none; those of an agent end with its card.
 */
@Injectable()
export class AgentDeviations {
  private readonly noted = new Map<string, Noted>();

  constructor(
    @Inject(AgentRegistry) private readonly registry: Pick<AgentRegistry, 'get'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Notes and logs it, unless it is known of the agent. Costs a look-up then. */
  note(agent: Pick<Agent, 'id' | 'originalCard'>, kind: DeviationKind): void {
    const known = this.noted.get(agent.id);
    const isSame = known?.card === agent.originalCard;
    if (isSame && known.since.has(kind)) return;
    // A run may hold an agent that is gone, or as it was.
    if (this.registry.get(agent.id)?.originalCard !== agent.originalCard) return;
    const { since } = isSame ? known : this.begun(agent);
    since.set(kind, this.clock.now());
    this.log.info(
      { agentId: agent.id, deviation: kind },
      `an agent deviates from the protocol; the hub tolerates it: ${DEVIATIONS[kind]}`,
    );
  }

  /** Oldest first. */
  of({ id, originalCard }: Pick<Agent, 'id' | 'originalCard'>): readonly Deviation[] {
    const known = this.noted.get(id);
    if (known?.card !== originalCard) return [];
    return [...known.since].map(([kind, since]) => ({ kind, since }));
  }

  private begun({ id, originalCard }: Pick<Agent, 'id' | 'originalCard'>): Noted {
    for (const known of this.noted.keys()) {
      if (this.registry.get(known) === undefined) this.noted.delete(known);
    }
    const noted = { card: originalCard, since: new Map<DeviationKind, Date>() };
    this.noted.set(id, noted);
    return noted;
  }
}
