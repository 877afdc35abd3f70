import { isRecord } from '../../common/is-record.js';

/** A statement in the JSON form of Cedar. */
interface Statement {
  readonly effect: 'permit' | 'forbid';
  readonly json: object;
}

/** Warnings of one policy, at most. */
const MOST = 20;

/**
 * What to look at in statements that can be read: one that applies only where the resource equals an agent (`==` in its scope, or
 * as a condition of `when` by itself or joined to others by `&&`) is about the agent alone, and says nothing of its skills, where
 * mostly both are meant. Of an agent named in `unless`, after `!` or beside `||` nothing is said: what is meant there is not known.
 * One sentence each.
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
    forbid: 'none of its skills is forbidden by it',
    permit: 'none of its skills is permitted by it',
  };
  return `Statement ${no} is about ${entity} by its name alone: ${effects[effect]}. For the agent and all its skills write "resource in ${entity}".`;
}

/** The ids of agents that the resource has to be equal to, or to be one of, for the statement to apply. */
function agentsAlone(json: object): string[] {
  const { resource, conditions } = json as Record<string, unknown>;
  const ofScope =
    isRecord(resource) && resource['op'] === '==' ? agentIds([resource['entity']]) : [];
  const required = listOf(conditions).flatMap((each) =>
    isRecord(each) && each['kind'] === 'when' ? conjunctsOf(each['body']) : [],
  );
  return [...ofScope, ...required.flatMap(agentsEqual)];
}

/** What has to be true for an expression to be: the parts that `&&` joins, else the expression itself. */
function conjunctsOf(expression: unknown): Record<string, unknown>[] {
  if (!isRecord(expression)) return [];
  const and = expression['&&'];
  return isRecord(and) ? [...conjunctsOf(and['left']), ...conjunctsOf(and['right'])] : [expression];
}

/** Of `resource == Agent::"x"`, in either order, and `[Agent::"x", …].contains(resource)`. */
function agentsEqual({ '==': equals, contains }: Record<string, unknown>): string[] {
  if (isRecord(equals)) {
    const { left, right } = equals;
    return isResource(left) || isResource(right) ? agentIds([left, right].map(literalOf)) : [];
  }
  if (!isRecord(contains) || !isResource(contains['right'])) return [];
  const { left } = contains;
  return isRecord(left) ? agentIds(listOf(left['Set']).map(literalOf)) : [];
}

function isResource(expression: unknown): boolean {
  return isRecord(expression) && expression['Var'] === 'resource';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
