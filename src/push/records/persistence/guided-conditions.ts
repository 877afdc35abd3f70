import type { Visibility } from '../../../auth/index.js';
import { allOf, type Condition } from '../../../database/conditions.js';
import type { SqlValue, Tx } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';

/** One condition, given how its column is to be written; `guide` names what rows are looked up by with its index. */
export interface GuidedCondition<Guide extends string> {
  readonly guide: Guide | null;
  readonly sql: (column: (name: string) => string) => string;
  readonly params: readonly SqlValue[];
}

/**
 * All of them. SQLite knows nothing of how many rows there are of each kind and would take any index that
 * serves, such as that of a state for the few rows of an organization; its reads hold the whole process.
 * So there the columns of all but the `narrowest` conditions are written as expressions (`+state`), which no
 * index serves.
 */
export function guidedBy<Guide extends string>(
  narrowest: readonly Guide[],
  conditions: readonly GuidedCondition<Guide>[],
  dialect: Tx['dialect'],
): Condition {
  return allOf(
    conditions.map((each) => {
      const isFree = dialect !== 'sqlite' || each.guide === null || isOf(narrowest, each);
      return written(each, isFree);
    }),
  );
}

/** The same, for a walk: what the index of the narrowest has, and what else is asked of its rows. */
export function walkedBy<Guide extends string>(
  narrowest: readonly Guide[],
  conditions: readonly GuidedCondition<Guide>[],
  dialect: Tx['dialect'],
): { readonly walked: readonly Condition[]; readonly rest: readonly Condition[] } {
  const isFree = dialect !== 'sqlite';
  const walked = conditions.filter((each) => isOf(narrowest, each));
  const rest = conditions.filter((each) => !isOf(narrowest, each));
  return {
    walked: walked.map((each) => written(each, true)),
    rest: rest.map((each) => written(each, isFree || each.guide === null)),
  };
}

function isOf<Guide extends string>(
  narrowest: readonly Guide[],
  { guide }: GuidedCondition<Guide>,
): boolean {
  return guide !== null && narrowest.includes(guide);
}

function written({ sql, params }: GuidedCondition<string>, isFree: boolean): Condition {
  return { sql: sql((name) => (isFree ? name : `+${name}`)), params };
}

export function equals<Guide extends string>(
  guide: Guide | null,
  name: string,
  value: string,
): GuidedCondition<Guide> {
  return { guide, sql: (column) => `${column(name)} = ?`, params: [storable(value)] };
}

/** As `visibleRows`: what a caller may see; `of` names the table where there are several. */
export function scopeOf(
  visibility: Visibility,
  of: '' | `${string}.` = '',
): readonly GuidedCondition<'principal' | 'organization'>[] {
  if (visibility.kind === 'everything') return [];
  const organization = equals('organization', `${of}organization`, visibility.organization);
  if (visibility.kind === 'organization') return [organization];
  return [equals('principal', `${of}principal_id`, visibility.principalId), organization];
}
