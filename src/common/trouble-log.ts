import type { Log } from './logger.js';

/** What is wrong with one thing, each said once until the trouble is over, however often it is met. */
export class TroubleLog {
  private readonly said = new Set<string>();

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  warn(fields: object, message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.log.warn(fields, message);
  }

  /** From now on everything is said again. */
  over(): void {
    this.said.clear();
  }
}
