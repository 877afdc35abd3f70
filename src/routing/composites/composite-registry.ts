import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { type CompositeSkill, CompositeSource } from '../domain/route-extensions.js';
import { CompositeStore } from './composite-store.js';
import { compositeSkillOf } from './domain/composite-skill.js';
import type { Composite } from './domain/composite.js';

/** How often other processes' changes are looked for; one small query. */
const LOOK_EVERY_MS = 1000;

interface Entry {
  readonly composite: Composite;
  readonly skill: CompositeSkill;
}

interface Snapshot {
  readonly revision: number;
  /** By id, ascending. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly enabled: readonly CompositeSkill[];
  /** Of them, those that every organization may use. */
  readonly open: readonly CompositeSkill[];
  /** The organizations that some enabled one is limited to. */
  readonly named: ReadonlySet<string>;
  /** What such an organization may use, made when it is first asked for. */
  readonly byOrganization: Map<string, readonly CompositeSkill[]>;
}

const EMPTY: Snapshot = {
  revision: -1,
  entries: new Map(),
  enabled: [],
  open: [],
  named: new Set(),
  byOrganization: new Map(),
};

/**
 * All composite skills in memory, for the path of every message. It is renewed with each change made in
 * this process before that change is answered, and at most a second after one made in another.
 */
@Injectable()
export class CompositeRegistry extends CompositeSource implements OnModuleInit, OnModuleDestroy {
  private snapshot = EMPTY;
  private readonly stopping = new AbortController();
  /** Renewals run one after another, so that an older read never replaces a newer one. */
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: CompositeStore,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.renew();
    void this.lookForChanges();
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Every composite skill by id, enabled or not. */
  composites(): readonly Composite[] {
    return [...this.snapshot.entries.values()].map(({ composite }) => composite);
  }

  all(): readonly CompositeSkill[] {
    return this.snapshot.enabled;
  }

  usable({ organization }: Pick<Principal, 'organization'>): readonly CompositeSkill[] {
    const { named, open, byOrganization, entries } = this.snapshot;
    if (!named.has(organization)) return open;
    let usable = byOrganization.get(organization);
    if (usable === undefined) {
      usable = skillsOf(entries, ({ organizations }) => includes(organizations, organization));
      byOrganization.set(organization, usable);
    }
    return usable;
  }

  /** Reads all again if any changed; resolves when the memory holds what the database does. */
  renew(): Promise<void> {
    const renewed = this.renewing.then(() => this.read());
    this.renewing = renewed.catch(() => undefined);
    return renewed;
  }

  private async read(): Promise<void> {
    // Asked first: a change between the two reads is then seen again by the next look.
    const revision = await this.store.revision();
    if (revision === this.snapshot.revision) return;
    const composites = await this.store.all();
    const entries = new Map(
      composites.map((composite) => [composite.id, this.entryOf(composite)] as const),
    );
    this.snapshot = {
      revision,
      entries,
      enabled: skillsOf(entries, () => true),
      open: skillsOf(entries, ({ organizations }) => organizations === null),
      named: new Set(
        composites.flatMap(({ enabled, organizations }) => (enabled ? (organizations ?? []) : [])),
      ),
      byOrganization: new Map(),
    };
  }

  /** The entry there is, when it is of this version: what is made of a skill stays made. */
  private entryOf(composite: Composite): Entry {
    const known = this.snapshot.entries.get(composite.id);
    if (known?.composite.version === composite.version) return known;
    // Said even where it is the setting's, so that a client's own maximum can only lower it.
    const maxCalls = composite.maxCalls ?? this.config.tasks.maxCalls;
    return { composite, skill: { ...compositeSkillOf(composite), maxCalls } };
  }

  private async lookForChanges(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await this.clock.sleep(LOOK_EVERY_MS, signal);
      if (signal.aborted) return;
      try {
        await this.renew();
      } catch (error) {
        this.log.warn({ err: error }, 'composite skills could not be read; the known ones stay');
      }
    }
  }
}

function skillsOf(
  entries: Snapshot['entries'],
  isIn: (composite: Composite) => boolean,
): CompositeSkill[] {
  return [...entries.values()]
    .filter(({ composite }) => composite.enabled && isIn(composite))
    .map(({ skill }) => skill);
}

function includes(organizations: Composite['organizations'], organization: string): boolean {
  return organizations === null || organizations.includes(organization);
}
