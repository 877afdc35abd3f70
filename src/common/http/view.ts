/** The fields that classes declare, by their prototypes. */
const FIELDS = new WeakMap<object, string[]>();

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
  for (const name of fieldsOf(view)) {
    if (!(name in values)) continue;
    const value = values[name];
    Object.assign(view, { [name]: value instanceof Date ? value.toISOString() : value });
  }
}

/** Those of the class and of what it extends, which come first. */
function fieldsOf(view: object): string[] {
  const fields: string[] = [];
  let prototype: unknown = Object.getPrototypeOf(view);
  for (; typeof prototype === 'object' && prototype !== null; prototype = parentOf(prototype)) {
    fields.unshift(...(FIELDS.get(prototype) ?? []));
  }
  return fields;
}

function parentOf(prototype: object): unknown {
  return Object.getPrototypeOf(prototype);
}
