import { isRecord } from '../../common/is-record.js';

/** A statement in the JSON form of Cedar. */
interface Statement {
  readonly effect: 'permit' | 'forbid';
  readonly json: object;
}

/** Warnings of one policy, at most. */
const MOST = 20;

/**
 * What to look at in statements that can be read: one that names an agent by `==` is about the agent alone, and says nothing
 * of its skills, where mostly both are meant. One sentence each.
 */
export function warningsOf(statements: readonly Statement[]): readonly string[] {
  const warnings = statements.flatMap(({ effect, json }, at) =>
    [...new Set(agentsAlone(json))].map((id) => warningOf(at + 1, effect, id)),
  );
  return warnings.slice(0, MOST);
}

function warningOf(no: number, effect: Statement['effect'], id: string): string {
  const entity = `Agent::${JSON.stringify(id)}`;
  const effects = {
    forbid: 'its skills can still be requested',
    permit: 'none of its skills is permitted by it',
  };
  return `Statement ${no} is about ${entity} by its name alone: ${effects[effect]}. For the agent and all its skills write "resource in ${entity}".`;
}

/** The ids of agents that the resource is to be equal to, or to be one of. */
function agentsAlone(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(agentsAlone);
  if (!isRecord(json)) return [];
  return [...agentsNamed(json), ...Object.values(json).flatMap(agentsAlone)];
}

function agentsNamed({ resource, '==': equals, contains }: Record<string, unknown>): string[] {
  if (isRecord(resource) && resource['op'] === '==') return agentIds([resource['entity']]);
  const sides = [equals, contains].flatMap((each) =>
    isRecord(each) ? [each['left'], each['right']] : [],
  );
  if (!sides.some((side) => isRecord(side) && side['Var'] === 'resource')) return [];
  const listed = sides.flatMap((side) =>
    isRecord(side) && Array.isArray(side['Set']) ? (side['Set'] as unknown[]) : [side],
  );
  return agentIds(listed.map((each) => literalOf(each)));
}

function literalOf(expression: unknown): unknown {
  const value = isRecord(expression) ? expression['Value'] : undefined;
  return isRecord(value) ? value['__entity'] : undefined;
}

function agentIds(entities: readonly unknown[]): string[] {
  return entities.flatMap((each) =>
    isRecord(each) && each['type'] === 'Agent' && typeof each['id'] === 'string'
      ? [each['id']]
      : [],
  );
}
