import { Injectable } from '@nestjs/common';
import { AgentHealth, AgentRegistry } from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import { type FieldViolation, HubError } from '../../common/hub-error.js';
import { prepareAll } from '../../policies/index.js';
import { RouteChooser } from '../domain/choose.js';
import { hubSkillId } from '../domain/agent-index.js';
import { type Plan } from '../domain/plan.js';
import { planOf } from '../domain/route.js';
import { COMPOSITE_AGENT_ID, type CompositeSkill } from '../domain/composite-skill.js';
import { completed, type WrittenComposite } from './composites.service.js';
import { checkDefinition } from './domain/check-definition.js';
import { checkTargets } from './domain/check-targets.js';
import { compositeSkillOf } from './domain/skill-of-composite.js';
import type { Composite } from './domain/composite.js';

/** What would come of a composite skill if it were saved now. */
export interface CompositePreviewed {
  readonly valid: boolean;
  /** What keeps it from being saved. */
  readonly problems: readonly FieldViolation[];
  /** Why a task of it would be refused now; null: it would run, or the plan is wrong in itself. */
  readonly refusal: string | null;
  readonly steps: Plan;
}

/** Tries composite skills that are not saved. */
@Injectable()
export class CompositePreview {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly health: AgentHealth,
  ) {}

  /**
   * What is wrong with it and, when the plan itself is right, who would do its steps for this caller.
   * A caller whom it is not for stands for somebody of the first organization that it is for.
   */
  async of(id: string, written: WrittenComposite, caller: Principal): Promise<CompositePreviewed> {
    const definition = completed(written);
    const { organizations } = definition;
    const inItself = checkDefinition(definition);
    const problems = [...inItself, ...checkTargets(definition, this.agents.all())];
    const valid = problems.length === 0;
    if (inItself.length > 0) return { valid, problems, refusal: null, steps: [] };
    const isFor = organizations?.includes(caller.organization) ?? true;
    const organization = isFor ? caller.organization : (organizations?.[0] ?? caller.organization);
    const asker = { ...caller, organization };
    await prepareAll(() => this.agents.prepare(asker));
    const never = new Date(0);
    const stored = { version: 0, source: 'api', createdAt: never, updatedAt: never } as const;
    const composite: Composite = { ...definition, ...stored, id };
    try {
      const steps = this.plan(compositeSkillOf(composite), asker);
      return { valid, problems, refusal: null, steps };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { valid, problems, refusal: error.message, steps: [] };
    }
  }

  /** The plan a message gets that asks for this skill. Throws what the choice throws. */
  private plan(composite: CompositeSkill, caller: Principal): Plan {
    const route = new RouteChooser({
      agents: this.agents.usable(caller),
      composites: [composite],
      directive: { skillId: hubSkillId(COMPOSITE_AGENT_ID, composite.skill.id) },
      agentId: undefined,
      affinity: [],
      defaultAgent: null,
      media: { input: [], output: [] },
      extensions: [],
      decide: () => ({ decision: undefined, passed: [] }),
      conditionOf: (agentId) => this.health.conditionOf(agentId),
    }).named();
    return route ? planOf(route) : [];
  }
}
