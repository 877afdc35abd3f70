/** As people write numbers; 1e3 is most likely not meant as 1000. */
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)$/;

/** The number that is typed; what is none stays a text, which is left to the hub to refuse, at its field. Null: nothing is typed. */
export function numberOf(typed: string): number | string | null {
  const text = typed.trim();
  if (text === '') return null;
  return isPlainNumber(text) ? Number(text) : text;
}

/** Whether a number is typed as people write it. */
export function isPlainNumber(typed: string): boolean {
  return PLAIN.test(typed.trim());
}
