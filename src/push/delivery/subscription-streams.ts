import { Injectable } from '@nestjs/common';
import { type Agent, AgentRegistry } from '../../agents/index.js';
import type { Tx, Work } from '../../database/sql.js';
import { tagKey } from '../../common/tag-key.js';
import type { Appended, Beginning, BegunDelegation, TaskRecord } from '../../tasks/index.js';
import {
  type BeginningAgent,
  isOfWholeTasks,
  watches,
} from '../registration/domain/subscription-filter.js';
import type { Subscription } from '../registration/webhook.js';
import { SubscriptionDirectory, grouped } from '../registration/subscription-directory.js';
import { SubscriptionStore } from '../registration/subscription-store.js';
import {
  type NewSubscriptionStream,
  SubscriptionStreamStore,
} from './subscription-stream-store.js';

/** The subscriptions of an organization, as a commit has to count with. */
type Watching = (organization: string) => readonly Subscription[];

/**
 * Gives tasks the streams of the subscriptions that are for them, in the transaction in which they, or
 * delegations of them, begin: so no task and no event is missed. An organization without subscriptions costs no statement;
 * on PostgreSQL, where another process may have made one a moment ago, a commit in which something
 * begins asks for one number.
 */
@Injectable()
export class SubscriptionStreams {
  constructor(
    private readonly directory: SubscriptionDirectory,
    private readonly subscriptions: SubscriptionStore,
    private readonly streams: SubscriptionStreamStore,
    private readonly agents: AgentRegistry,
  ) {}

  /** How many streams this commit has made. */
  *begin(tx: Tx, batch: readonly Appended[], now: Date): Work<number> {
    const beginnings = batch.flatMap(({ begins }) => (begins === null ? [] : [begins]));
    if (beginnings.length === 0) return 0;
    const watching = yield* this.watching(tx, beginnings);
    const streams = beginnings.flatMap((each) => this.streamsOf(each, watching));
    return streams.length === 0 ? 0 : yield* this.streams.open(tx, streams, now);
  }

  private *watching(tx: Tx, beginnings: readonly Beginning[]): Work<Watching> {
    const inMemory: Watching = (organization) => this.directory.of(organization);
    // No other process writes to a SQLite database, so the memory is what it holds.
    if (tx.dialect === 'sqlite') return inMemory;
    const revision = yield* this.subscriptions.revisionIn(tx);
    if (revision === this.directory.revision) return inMemory;
    const organizations = new Set(beginnings.map(({ record }) => record.organization));
    const groups = grouped(yield* this.subscriptions.allIn(tx, [...organizations].sort()));
    return (organization) => groups.get(organization) ?? [];
  }

  private streamsOf(beginning: Beginning, watching: Watching): NewSubscriptionStream[] {
    const { isTask, record, delegations } = beginning;
    const candidates = watching(record.organization).filter(
      (each) => each.state !== 'disabled' && (isTask || !isOfWholeTasks(each)),
    );
    if (candidates.length === 0) return [];
    const { organization, principalId } = record;
    const agents = delegations.map((each) => this.agentOf(each));
    return candidates
      .filter((each) => watches(each, { organization, principalId, agents }, tagKey))
      .map((subscription) => ({
        subscription,
        taskId: record.id,
        seq: record.seq,
        traceparent: record.traceparent,
        begins: isTask ? 'start' : startOfLater(subscription, record),
      }));
  }

  private agentOf({ agentId, skillId }: BegunDelegation): BeginningAgent {
    const agent = this.agents.known(agentId);
    return { id: agentId, tags: new Set(agent ? tagsOf(agent, skillId).map(tagKey) : []) };
  }
}

/** A task that is joined later begins with a snapshot, unless its state is not one that is requested. */
function startOfLater(
  { filter: { states } }: Subscription,
  { state }: TaskRecord,
): NewSubscriptionStream['begins'] {
  return states === null || states.includes(state) ? 'present-state' : 'next';
}

function tagsOf({ card, tags }: Agent, skillId: string | null): string[] {
  const skills = skillId === null ? card.skills : card.skills.filter(({ id }) => id === skillId);
  return [...tags, ...skills.flatMap((skill) => skill.tags)];
}
