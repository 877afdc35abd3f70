import { isRecord } from '../../common/is-record.js';

/** Warns of statements that forbid whatever they are about to every caller at every agent. One sentence each. */
export function forbidsAll(
  statements: readonly { readonly effect: 'permit' | 'forbid'; readonly json: object }[],
): readonly string[] {
  return statements.flatMap(({ effect, json }, at) => {
    const { principal, action, resource, conditions } = json as Record<string, unknown>;
    const isConditional = Array.isArray(conditions) && conditions.length > 0;
    if (effect === 'permit' || isConditional || !isAny(principal) || !isAny(resource)) return [];
    const what = isAny(action)
      ? 'no operation is allowed'
      : 'none of the operations that it names is allowed';
    return [
      `Statement ${at + 1} is about every caller and every agent: where the policy applies, ${what} any more.`,
    ];
  });
}

function isAny(scope: unknown): boolean {
  return isRecord(scope) && scope['op'] === 'All';
}
