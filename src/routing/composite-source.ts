import type { AgentRegistry } from '../agents/index.js';
import type { Principal } from '../auth/index.js';
import { prepareAll } from '../policies/index.js';
import type { CompositeSkill } from './domain/composite-skill.js';

/** The operator's composite skills. They answer from memory, on the path of every message. */
export abstract class CompositeSource {
  /**
   * The composite skills this principal may use now, by id, as far as the policies have decided. The list is the same object, and so is
   * each skill in it, until something changes, so that what is made of them can be kept.
   */
  abstract usable(principal: Principal): readonly CompositeSkill[];

  /** Has the policies decide for a caller about all of them; undefined when they have. Comes before {@link usable}. */
  abstract prepare(principal: Principal): Promise<void> | undefined;
}

/** Has the policies decide for a caller about all agents and composite skills; undefined when they have. */
export function prepareUsable(
  caller: Principal,
  agents: Pick<AgentRegistry, 'prepare'>,
  composites: CompositeSource,
): Promise<void> | undefined {
  return prepareAll(
    () => agents.prepare(caller),
    () => composites.prepare(caller),
  );
}
