import type { Part } from './a2a.js';

/** Parts are needed that are not in memory, but only in the log of their task. */
export class PartsNotKeptError extends Error {
  override readonly name = 'PartsNotKeptError';

  constructor() {
    super('the parts are only in the log of the task');
  }
}

interface WithParts {
  readonly parts: readonly Part[];
}

/** An artifact or message without its parts; reading them throws {@link PartsNotKeptError}. */
class Outline {
  get parts(): never {
    throw new PartsNotKeptError();
  }
}

export function isOutline(whole: WithParts): boolean {
  return whole instanceof Outline;
}

/** Replaces the artifacts or messages at these places by their outlines, in place. */
export function outlineAll<T extends WithParts>(list: T[], from = 0, to = list.length): void {
  for (let i = from; i < to; i += 1) {
    const whole = list[i]!;
    if (isOutline(whole)) continue;
    const rest = Object.entries(whole).filter(([name]) => name !== 'parts');
    list[i] = Object.assign(new Outline(), Object.fromEntries(rest)) as unknown as T;
  }
}
