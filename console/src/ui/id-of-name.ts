import type { Suggestion } from './suggest';

/** What has an id, and mostly a name that people know it by. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
  /** Of a principal. */
  readonly organization?: string;
}

/** The id of the only one that is called so, whatever the case; an id, and what names none or several, stays as it was typed. */
export function idOfName(typed: string, known: readonly Named[]): string {
  const called = calledSo(typed, known);
  return called.length === 1 ? called[0]!.id : typed;
}

/** Whether several are called so. */
export function namesSeveral(typed: string, known: readonly Named[]): boolean {
  return calledSo(typed, known).length > 1;
}

/** What to say of a name that several `principals` have. */
export function severalCalled(typed: string, kind: string): string {
  return `Several ${kind} are called “${typed.trim()}”: choose one of them by its id.`;
}

/** Those of this name; none where it is the id of one. */
function calledSo(typed: string, known: readonly Named[]): readonly Named[] {
  const text = typed.trim();
  if (text === '' || known.some(({ id }) => id === text)) return [];
  return known.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
}

/** Ids as they are suggested, with what each is called and where it belongs. */
export function suggestionsOf(known: readonly Named[]): Suggestion[] {
  return known.map(({ id, name, organization }) => {
    const label = [name, organization].filter(Boolean).join(', ');
    return { value: id, ...(label !== '' && { label }) };
  });
}

/** The name of one, with its id where another is called so or has that id. */
export function distinctName(id: string, name: string, known: readonly Named[]): string {
  const isShared = known.some(
    (each) =>
      each.id !== id &&
      [each.id.toLowerCase(), each.name?.toLowerCase()].includes(name.toLowerCase()),
  );
  return isShared ? `${name} (${id})` : name;
}
