import type { SchemaPart } from '../../database/schema.js';
import {
  CompositeSkillEntity,
  CompositeSkillVersionEntity,
  CompositeSkillRevisionEntity,
} from './composite-skill.entity.js';
import { RoutingRules1700000000040 } from './migrations/1700000000040-routing-rules.js';
import { CompositeSkills1700000000041 } from './migrations/1700000000041-composite-skills.js';
import { RuleVersions1700000000940 } from './migrations/1700000000940-rule-versions.js';
import { RuleEntity, RuleRevisionEntity, RuleVersionEntity } from './rule.entity.js';

export const ROUTING_SCHEMA: SchemaPart = {
  entities: [
    CompositeSkillEntity,
    CompositeSkillVersionEntity,
    CompositeSkillRevisionEntity,
    RuleEntity,
    RuleVersionEntity,
    RuleRevisionEntity,
  ],
  migrations: [RoutingRules1700000000040, CompositeSkills1700000000041, RuleVersions1700000000940],
};
