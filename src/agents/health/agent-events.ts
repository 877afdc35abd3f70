import { Injectable } from '@nestjs/common';
import { IdSource } from '../../common/ids.js';
import { Signal } from '../../common/signal.js';
import type { HealthState } from './agent-health.js';
import type { BreakerState } from '../../common/circuit-breaker.js';

/** The status of an agent of which changes are published to operators. */
export interface AgentStatus {
  readonly health: HealthState;
  readonly breaker: BreakerState;
}

/** An agent's health or breaker has changed. */
export interface AgentChange extends AgentStatus {
  readonly agentId: string;
  readonly before: AgentStatus;
  /** What went wrong last; null when nothing has. */
  readonly lastError: string | null;
  readonly at: Date;
}

export interface AgentEvent {
  /** Names the event while this process runs. */
  readonly id: string;
  readonly change: AgentChange;
}

/** Events that a reader who comes back can still get. */
const MAX_KEPT = 1000;

/** The changes of agents this process has seen, newest last: kept for a while, published to listeners. */
@Injectable()
export class AgentEvents {
  private readonly kept: AgentEvent[] = [];
  private readonly published = new Signal<AgentEvent>();
  /** Another process, or this one after a restart, has other events. */
  private readonly process: string;
  private count = 0;

  constructor(ids: IdSource) {
    this.process = ids.secret(6);
  }

  /** The id of the newest event, or of none yet. */
  get newestId(): string {
    return this.idOf(this.count);
  }

  publish(change: AgentChange): void {
    this.count += 1;
    const event = { id: this.idOf(this.count), change };
    this.kept.push(event);
    if (this.kept.length > MAX_KEPT) this.kept.shift();
    this.published.emit(event);
  }

  /** Those still kept that are meant, newest first; `before` is the id of one, and only older ones are given. */
  newest(
    limit: number,
    isMeant: (change: AgentChange) => boolean = () => true,
    before?: string,
  ): readonly AgentEvent[] {
    const end = before === undefined ? Infinity : this.countOf(before);
    const found: AgentEvent[] = [];
    for (let at = this.kept.length - 1; at >= 0 && found.length < limit; at--) {
      const event = this.kept[at]!;
      const isOlder = this.countOf(event.id) < end;
      if (isOlder && isMeant(event.change)) found.push(event);
    }
    return found;
  }

  /** Whether this is the id of an event of this process, kept or not. */
  isOwn(id: string): boolean {
    const count = this.countOf(id);
    return this.idOf(count) === id && count <= this.count;
  }

  /** The events after this one; undefined when it is not one of this process, or too long ago. */
  after(id: string): readonly AgentEvent[] | undefined {
    if (id === this.idOf(this.count - this.kept.length)) return [...this.kept];
    const index = this.kept.findIndex((event) => event.id === id);
    return index === -1 ? undefined : this.kept.slice(index + 1);
  }

  /** Calls `listener` with every event until the returned function is called. */
  subscribe(listener: (event: AgentEvent) => void): () => void {
    return this.published.listen(listener);
  }

  private countOf(id: string): number {
    return Number(id.slice(this.process.length + 1));
  }

  private idOf(count: number): string {
    return `${this.process}-${count}`;
  }
}
