import type { Clock } from './clock.js';

export interface KeepingRules<T> {
  readonly read: () => Promise<T>;
  /** After that it is read anew, beside those who use it meanwhile. */
  readonly freshMs: number;
  /** As long it is used when it cannot be read anew. */
  readonly keptMs: number;
  /** It is not read again sooner after a failure. */
  readonly failureMs: number;
  /** Whether a failure says that the value that there is must not be used any more. */
  readonly endsUse?: (error: unknown) => boolean;
  /** Told, once for each read, of a failure though it was read before. `isUsed`: the value is used on. */
  readonly onFailure?: (error: unknown, isUsed: boolean) => void;
}

/** What is read from elsewhere and kept for a while. However many ask for it, it is read once at a time. */
export class KeptValue<T> {
  private kept: { readonly value: T; readonly readAt: number } | undefined;
  private reading: Promise<T> | undefined;
  private failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(
    private readonly rules: KeepingRules<T>,
    private readonly clock: Clock,
  ) {}

  /** Rejects with what keeps it from being read, when there is none that may still be used. */
  async get(): Promise<T> {
    return this.current() ?? this.renew();
  }

  /** What {@link get} would give at once, renewed as it does; undefined when it would have to be read first. */
  current(): T | undefined {
    const { rules, kept } = this;
    const age = this.age();
    if (kept === undefined || !this.isUsable()) return undefined;
    if (age >= rules.freshMs) this.renew().catch(() => undefined);
    return kept.value;
  }

  /** Why the last read failed; undefined when it did not. */
  get trouble(): unknown {
    return this.failure?.error;
  }

  /** Milliseconds since it was read; infinite while it never was. */
  age(): number {
    return this.kept === undefined ? Infinity : Math.abs(this.now() - this.kept.readAt);
  }

  /** Reads it anew. Rejects at once with the last failure when that was a moment ago. */
  async renew(): Promise<T> {
    const { failure } = this;
    if (failure !== undefined && Math.abs(this.now() - failure.at) < this.rules.failureMs) {
      throw failure.error;
    }
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<T> {
    try {
      const value = await this.rules.read();
      this.kept = { value, readAt: this.now() };
      this.failure = undefined;
      return value;
    } catch (error) {
      this.failure = { error, at: this.now() };
      if (this.kept !== undefined) this.failed(error);
      throw error;
    }
  }

  private failed(error: unknown): void {
    const { endsUse, onFailure } = this.rules;
    if (endsUse?.(error) === true) this.kept = undefined;
    onFailure?.(error, this.isUsable());
  }

  private isUsable(): boolean {
    return this.age() < this.rules.keptMs;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
