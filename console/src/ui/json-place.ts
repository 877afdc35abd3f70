/** The line, from 1, at which a member of a JSON text begins; that of the nearest member around it where it is absent. */
export function lineOfMember(text: string, field: string): number {
  const path = [...field.matchAll(/[^.[\]]+/g)].map(([name]) => name);
  return text.slice(0, new Places(text).find(path)).split('\n').length;
}

/** The line that a message of `JSON.parse` names, or undefined. */
export function lineOfFault(text: string, message: string): number | undefined {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
}

/** Walks a text that is JSON. */
class Places {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Where the member of this path begins. */
  find(path: readonly string[]): number {
    this.at = 0;
    let found = 0;
    for (const name of path) {
      const place = this.enter(name);
      if (place === undefined) break;
      found = place;
    }
    return found;
  }

  /** Goes to the value of a member of what begins here; undefined when there is none. */
  private enter(name: string): number | undefined {
    const open = this.next();
    if (open !== '{' && open !== '[') return undefined;
    this.at += 1;
    for (let index = 0; ; index += 1) {
      const first = this.next();
      if (first === '' || first === '}' || first === ']') return undefined;
      const begin = this.at;
      let key = String(index);
      if (open === '{') {
        this.skip();
        key = this.text.slice(begin + 1, this.at - 1);
        this.next();
        this.at += 1;
        this.next();
      }
      if (key === name) return begin;
      this.skip();
      if (this.next() === ',') this.at += 1;
    }
  }

  /** The next character that is no blank; empty at the end. */
  private next(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
    return this.text.charAt(this.at);
  }

  /** Goes behind the value that begins here. */
  private skip(): void {
    let depth = 0;
    do {
      const first = this.next();
      if (first === '') return;
      if (first === '"') this.skipText();
      else {
        if (first === '{' || first === '[') depth += 1;
        if (first === '}' || first === ']') depth -= 1;
        this.at += 1;
        if (depth === 0 && !'{}[]'.includes(first)) this.skipScalar();
      }
    } while (depth > 0);
  }

  private skipText(): void {
    this.at += 1;
    while (this.at < this.text.length && this.text.charAt(this.at) !== '"') {
      this.at += this.text.charAt(this.at) === '\\' ? 2 : 1;
    }
    this.at += 1;
  }

  private skipScalar(): void {
    while (this.at < this.text.length && !/[\s,\]}]/.test(this.text.charAt(this.at))) this.at += 1;
  }
}
