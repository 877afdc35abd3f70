/** The number that is typed; what is none stays a text, which is left to the hub to refuse, at its field. Null: nothing is typed. */
export function numberOf(typed: string): number | string | null {
  const text = typed.trim();
  if (text === '') return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}
