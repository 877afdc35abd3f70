/** The name of a member as Protocol Buffers write it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const spellings = new Map<string, readonly string[]>();

/** The ways to write a member's name, the usual one first. For the hub's own names, of which there are few. */
export function spellingsOf(name: string): readonly string[] {
  let known = spellings.get(name);
  if (known === undefined) {
    const snake = snakeCase(name);
    known = snake === name ? [name] : [name, snake];
    spellings.set(name, known);
  }
  return known;
}
