/** What has an id, and mostly a name that people know it by. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** The id of the only one that is called so, whatever the case; an id, and what names none or several, stays as it was typed. */
export function idOfName(typed: string, known: readonly Named[]): string {
  const text = typed.trim().toLowerCase();
  if (known.some(({ id }) => id === typed.trim())) return typed;
  const called = known.filter(({ name }) => name?.toLowerCase() === text);
  return called.length === 1 ? called[0]!.id : typed;
}
