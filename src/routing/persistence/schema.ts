import type { SchemaPart } from '../../database/schema.js';
import {
  CompositeSkillEntity,
  CompositeSkillVersionEntity,
  CompositeSkillRevisionEntity,
} from './composite-skill.entity.js';
import { RoutingRules1700000000040 } from './migrations/1700000000040-routing-rules.js';
import { CompositeSkills1700000000041 } from './migrations/1700000000041-composite-skills.js';
import { RuleEntity, RuleRevisionEntity } from './rule.entity.js';

export const ROUTING_SCHEMA: SchemaPart = {
  entities: [
    CompositeSkillEntity,
    CompositeSkillVersionEntity,
    CompositeSkillRevisionEntity,
    RuleEntity,
    RuleRevisionEntity,
  ],
  migrations: [RoutingRules1700000000040, CompositeSkills1700000000041],
};
