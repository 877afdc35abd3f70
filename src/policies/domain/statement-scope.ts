import type { CedarQuestion, EntityName } from './cedar-schema.js';

/** An entity, by its type and by the keys of itself and of all that it is in. */
interface Scoped {
  readonly type: string;
  readonly key: string;
  readonly within: ReadonlySet<string>;
}

/** What a question is about, as the scopes of statements see it. */
export type QuestionScope = Readonly<Record<'principal' | 'action' | 'resource', Scoped>>;

type Constraint =
  | { readonly op: 'All' }
  | { readonly op: '==' | 'in'; readonly entity: EntityName }
  | { readonly op: 'in'; readonly entities: readonly EntityName[] }
  | {
      readonly op: 'is';
      readonly entity_type: string;
      readonly in?: { readonly entity: EntityName };
    };

type Fits = (meant: Scoped) => boolean;

/**
 * Whom and what a statement is about: what stands in the brackets behind `permit` and `forbid`. Statements with another one have no part in
 * a decision, so the engine need not be asked about them.
 */
export class StatementScope {
  private readonly principal: Fits;
  private readonly action: Fits;
  private readonly resource: Fits;

  /** Of a statement in the JSON form of Cedar. */
  constructor(json: Readonly<Record<'principal' | 'action' | 'resource', unknown>>) {
    this.principal = fitsOf(json.principal as Constraint);
    this.action = fitsOf(json.action as Constraint);
    this.resource = fitsOf(json.resource as Constraint);
  }

  fits({ principal, action, resource }: QuestionScope): boolean {
    return this.action(action) && this.principal(principal) && this.resource(resource);
  }
}

export function scopeOf({ principal, action, resource, entities }: CedarQuestion): QuestionScope {
  const parents = new Map(entities.map((each) => [keyOf(each.uid), each.parents]));
  const scoped = (uid: EntityName): Scoped => {
    const within = new Set<string>();
    const open = [uid];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const key = keyOf(next);
      if (within.has(key)) continue;
      within.add(key);
      open.push(...(parents.get(key) ?? []));
    }
    return { type: uid.type, key: keyOf(uid), within };
  };
  return { principal: scoped(principal), action: scoped(action), resource: scoped(resource) };
}

function fitsOf(constraint: Constraint): Fits {
  if (constraint.op === 'All') return () => true;
  if (constraint.op === 'is') {
    const { entity_type: type, in: outer } = constraint;
    const isWithin = outer === undefined ? () => true : within([outer.entity]);
    return (meant) => meant.type === type && isWithin(meant);
  }
  if ('entities' in constraint) return within(constraint.entities);
  if (constraint.op === 'in') return within([constraint.entity]);
  const key = keyOf(constraint.entity);
  return (meant) => meant.key === key;
}

function within(outer: readonly EntityName[]): Fits {
  const keys = outer.map(keyOf);
  return (meant) => keys.some((key) => meant.within.has(key));
}

function keyOf({ type, id }: EntityName): string {
  return `${type}::${id}`;
}
