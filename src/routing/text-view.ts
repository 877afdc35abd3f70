import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Agent } from '../agents/index.js';
import { COMPOSITE_AGENT_ID, type CompositeSkill } from './domain/composite-skill.js';
import type { RoutableAgent } from './domain/agent-index.js';
import { TextIndex, type TextSource } from './domain/text-index.js';

/** What is known of an agent here. */
export type IndexedAgent = RoutableAgent & Pick<Agent, 'originalCard' | 'updatedAt'>;

/** What a caller may use. Lists that are the same objects hold the same. */
export interface Usable {
  readonly agents: readonly IndexedAgent[];
  readonly composites: readonly CompositeSkill[];
}

/** Skills written before others have their turn: some milliseconds, with long texts. */
const SLICE = 32;

/** The words of what some callers may use, kept up with it. */
export class TextView {
  readonly index = new TextIndex();
  private indexed: Usable | undefined;
  /** Follows one after another; each takes what is there when its turn comes. */
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly usable: () => Promise<Usable>) {}

  covers({ agents, composites }: Usable): boolean {
    return this.indexed?.agents === agents && this.indexed.composites === composites;
  }

  /** Resolves when the index has what is registered now, and lets others have their turn meanwhile. */
  follow(signal?: AbortSignal): Promise<void> {
    const followed = this.following.then(() => this.write(signal));
    this.following = followed.catch(() => undefined);
    return followed;
  }

  private async write(signal: AbortSignal | undefined): Promise<void> {
    const usable = await this.usable();
    if (this.covers(usable)) return;
    const { agents, composites } = usable;
    const sources = [...agents.map(sourceOfAgent), ...composites.map(sourceOfComposite)];
    let written = 0;
    for (const skills of this.index.following(sources)) {
      written += skills;
      if (written < SLICE) continue;
      written = 0;
      await othersTurn();
      if (signal?.aborted) return;
    }
    this.indexed = usable;
  }
}

function sourceOfAgent({ id, card, tags, updatedAt, originalCard }: IndexedAgent): TextSource {
  const { skills } = card;
  // Policies leave some skills of it, or others, while the agent itself is the same.
  const left = skills.map((skill) => skill.id);
  return {
    key: id,
    agentId: id,
    skills,
    tags,
    stamp: [updatedAt.getTime(), originalCard, tags.length, ...tags, ...left],
  };
}

function sourceOfComposite({ skill, version }: CompositeSkill): TextSource {
  return {
    key: `${COMPOSITE_AGENT_ID}.${skill.id}`,
    agentId: COMPOSITE_AGENT_ID,
    skills: [skill],
    tags: [],
    stamp: [version, JSON.stringify(skill)],
  };
}
