import { tagKey } from '../../common/tag-key.js';
import { AGENT_OPERATION, HUB_OPERATIONS, type PolicyQuestion } from './policy.js';

/** What policies may speak of, in Cedar's language for schemas. */
export const CEDAR_SCHEMA = `
entity Organization;
entity Group;
entity Scope;
entity Tag;
entity Hub;
entity Caller in [Organization, Group, Scope] { signIn: String, issuer: String };
entity Agent in [Tag];
entity Skill in [Agent, Tag];
action "${AGENT_OPERATION}" appliesTo { principal: Caller, resource: [Agent, Skill] };
action ${HUB_OPERATIONS.map((name) => `"${name}"`).join(', ')} appliesTo { principal: Caller, resource: Hub };
`;

/** The types of entities that policies may name. */
export const ENTITY_TYPES: readonly string[] = [...CEDAR_SCHEMA.matchAll(/^entity (\w+)/gm)].map(
  ([, type]) => type!,
);

/** An entity of Cedar by its type and id. */
export interface EntityName {
  readonly type: string;
  readonly id: string;
}

interface Entity {
  readonly uid: EntityName;
  readonly attrs: Record<string, string>;
  readonly parents: EntityName[];
}

/** A question in the words of the schema. */
export interface CedarQuestion {
  readonly principal: EntityName;
  readonly action: EntityName;
  readonly resource: EntityName;
  readonly entities: Entity[];
}

export function cedarQuestion({ caller, operation, resource }: PolicyQuestion): CedarQuestion {
  const { id, organization, groups, scopes, signIn, issuer } = caller;
  const principal = { type: 'Caller', id };
  const asker: Entity = {
    uid: principal,
    attrs: { signIn, issuer },
    parents: [
      { type: 'Organization', id: organization },
      ...groups.map((group) => ({ type: 'Group', id: group })),
      ...scopes.map((scope) => ({ type: 'Scope', id: scope })),
    ],
  };
  const action = { type: 'Action', id: operation };
  if (resource === null) {
    const hub = { type: 'Hub', id: 'hub' };
    return {
      ...{ principal, action, resource: hub },
      entities: [asker, { uid: hub, attrs: {}, parents: [] }],
    };
  }
  const agent: Entity = {
    uid: { type: 'Agent', id: resource.agentId },
    attrs: {},
    parents: resource.agentTags.map(tagEntity),
  };
  if (resource.skillId === null) {
    return { principal, action, resource: agent.uid, entities: [asker, agent] };
  }
  const skill: Entity = {
    uid: { type: 'Skill', id: `${resource.agentId}.${resource.skillId}` },
    attrs: {},
    parents: [agent.uid, ...resource.tags.map(tagEntity)],
  };
  return { principal, action, resource: skill.uid, entities: [asker, agent, skill] };
}

/** Tags are compared whatever their case, here too: policies write them in lower case. */
function tagEntity(tag: string): EntityName {
  return { type: 'Tag', id: tagKey(tag) };
}
