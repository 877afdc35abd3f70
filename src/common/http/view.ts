/** The fields that classes declare, by their prototypes. */
const FIELDS = new WeakMap<object, string[]>();

/** With those of what they extend: a class declares its fields before it has an object. */
const ALL_FIELDS = new WeakMap<object, readonly string[]>();

/** Notes that a class declares the field. */
export function rememberField(prototype: object, name: string | symbol): void {
  const fields = FIELDS.get(prototype) ?? [];
  if (!FIELDS.has(prototype)) FIELDS.set(prototype, fields);
  fields.push(String(name));
}

/** What a view is made of: its fields, where a Date may stand for its text. */
export type Source<View> = {
  readonly [Name in keyof View]: View[Name] extends string | null | undefined
    ? View[Name] | (string extends NonNullable<View[Name]> ? Date : never)
    : View[Name];
};

/**
 * Fills a view from an object that has all of its fields, and may have others, which are not copied. A Date becomes
 * its text in ISO 8601. Of `source` nothing else leaves than what the view's class declares as fields.
 */
export function fill<View extends object>(view: View, source: Source<View>): void {
  const values: Readonly<Record<string, unknown>> = source;
  const filled = view as Record<string, unknown>;
  for (const name of fieldsOf(view)) {
    if (!(name in values)) continue;
    const value = values[name];
    filled[name] = value instanceof Date ? value.toISOString() : value;
  }
}

/** Those of the class and of what it extends, which come first. */
function fieldsOf(view: object): readonly string[] {
  const own = Object.getPrototypeOf(view) as object;
  const known = ALL_FIELDS.get(own);
  if (known !== undefined) return known;
  const fields: string[] = [];
  let prototype: unknown = own;
  for (; typeof prototype === 'object' && prototype !== null; prototype = parentOf(prototype)) {
    fields.unshift(...(FIELDS.get(prototype) ?? []));
  }
  ALL_FIELDS.set(own, fields);
  return fields;
}

function parentOf(prototype: object): unknown {
  return Object.getPrototypeOf(prototype);
}
