import { Injectable } from '@nestjs/common';
import { type Agent, AgentRegistry } from '../agents/index.js';
import { AppConfig } from '../config/index.js';
import type { Message } from '../protocol/a2a.js';
import type { AgentIndex } from './domain/agent-index.js';
import {
  externalCandidates,
  externalQuestion,
  followExternal,
  MAX_EXTERNAL_CANDIDATES,
} from './domain/external-order.js';
import type { TextFinding } from './domain/find-text.js';
import {
  COMPOSITE_AGENT_ID,
  CompositeSource,
  type CompositeSkill,
} from './domain/route-extensions.js';
import { textOf } from './domain/message-text.js';
import { TextIndex, type TextMatch, type TextSource } from './domain/text-index.js';
import { ExternalRouter } from './external-router.js';

/** Skills that are looked at when the hub decides by itself: more than a route names. */
const MAX_MATCHES = 25;

/** Finds skills by the text of a message, with the operator's router when there is one. */
@Injectable()
export class TextRouter {
  private readonly index = new TextIndex();
  /** What the index holds. */
  private agents: readonly Agent[] | undefined;
  private composites: readonly CompositeSkill[] | undefined;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly compositeSource: CompositeSource,
    private readonly config: AppConfig,
    private readonly external: ExternalRouter,
  ) {}

  /** What the text says; undefined when neither the text match nor an external router is in use. */
  async find(
    organization: string,
    message: Pick<Message, 'parts'>,
    usable: AgentIndex,
  ): Promise<TextFinding | undefined> {
    const { text: isOn, textThreshold: threshold } = this.config.routing;
    if (!isOn && !this.external.isConfigured) return undefined;
    const text = textOf(message);
    const found = isOn ? this.search(text, usable) : [];
    const finding = { candidates: found, threshold };
    if (!this.external.isConfigured) return finding;
    const candidates = externalCandidates(found, usable);
    if (candidates.length === 0) return finding;
    const answer = await this.external.order(
      externalQuestion(organization, text, message, candidates, usable),
    );
    return 'problem' in answer
      ? { ...finding, note: answer.problem }
      : followExternal(finding, candidates, answer);
  }

  private search(text: string, usable: AgentIndex): TextMatch[] {
    this.follow();
    return this.index.search(
      text,
      (agentId, skillId) =>
        agentId === COMPOSITE_AGENT_ID
          ? usable.composite(skillId) !== undefined
          : usable.agent(agentId) !== undefined,
      this.external.isConfigured ? MAX_EXTERNAL_CANDIDATES : MAX_MATCHES,
    );
  }

  /** Brings the index up to what is registered now. */
  private follow(): void {
    const agents = this.registry.enabled();
    const composites = this.compositeSource.all();
    if (agents === this.agents && composites === this.composites) return;
    this.index.sync([...agents.map(sourceOfAgent), ...composites.map(sourceOfComposite)]);
    this.agents = agents;
    this.composites = composites;
  }
}

function sourceOfAgent({ id, card, tags, updatedAt, originalCard }: Agent): TextSource {
  return {
    key: id,
    agentId: id,
    skills: card.skills,
    tags,
    stamp: [updatedAt.getTime(), originalCard, ...tags],
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
