import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agents/index.js';
import type { FieldViolation } from '../../common/hub-error.js';
import { CompositeRegistry } from '../composites/composite-registry.js';
import { compositeSkillOf } from '../composites/domain/skill-of-composite.js';
import { AgentIndex, hubSkillId, splitSkillId } from '../domain/agent-index.js';
import { nearest } from '../../common/nearest.js';
import { obstacleOf } from './domain/obstacle.js';
import type { RuleAction } from './domain/rule.js';

/** Whether the targets of rules are there, as the operator sees it: whoever may use them. */
@Injectable()
export class RuleTargets {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly composites: CompositeRegistry,
  ) {}

  /** Why targets cannot be followed now, as a function of many rules; undefined of one that can. */
  problems(): (target: RuleAction) => string | undefined {
    const enabled = this.index((each) => each.enabled);
    const all = this.index(() => true);
    return (target) => {
      const obstacle = obstacleOf(target, enabled);
      if (obstacle === undefined) return undefined;
      const isDisabled = obstacleOf(target, all) === undefined;
      return `${sentence(obstacle)}${isDisabled ? ' It is disabled.' : ''}`;
    };
  }

  /**
   * What a target names that is not there, enabled or not, with the names that come close. Tags may be
   * not carried by any agent yet.
   */
  unknown(target: RuleAction, path: string): readonly FieldViolation[] {
    const { agentId, skillId, composite } = target;
    const isKnown =
      obstacleOf(
        target,
        this.index(() => true),
      ) === undefined;
    if (isKnown || target.tags !== undefined) return [];
    const violation = (field: string, what: string, wanted: string, names: readonly string[]) => {
      const near = nearest(wanted, names).map((name) => `"${name}"`);
      const hint = near.length > 0 ? `; near it: ${near.join(', ')}` : '';
      return [{ field: `${path}.${field}`, description: `is not ${what}${hint}` }];
    };
    if (agentId !== undefined) {
      return violation('agentId', 'the id of a registered agent', agentId, this.agentIds());
    }
    if (skillId !== undefined) {
      return violation('skillId', 'a skill of a registered agent', skillId, this.skillIds(skillId));
    }
    const ids = this.composites.composites().map(({ id }) => id);
    return violation('composite', 'the id of a composite skill', composite ?? '', ids);
  }

  private index(isIn: (each: { readonly enabled: boolean }) => boolean): AgentIndex {
    const composites = this.composites.composites().filter(isIn).map(compositeSkillOf);
    return AgentIndex.of(this.agents.all().filter(isIn), composites);
  }

  private agentIds(): readonly string[] {
    return this.agents.all().map(({ id }) => id);
  }

  /** Skill ids in the form in which one was asked for. */
  private skillIds(wanted: string): readonly string[] {
    const isOfHub = splitSkillId(wanted) !== undefined;
    const ids = this.agents
      .all()
      .flatMap(({ id, card }) =>
        card.skills.map((skill) => (isOfHub ? hubSkillId(id, skill.id) : skill.id)),
      );
    return [...new Set(ids)];
  }
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
