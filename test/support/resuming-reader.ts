import { randomUUID } from 'node:crypto';
import { userMessage } from './builders.js';
import type { HubClient } from './hub-client.js';
import type { StreamedEvent } from './event-stream.js';
import type { JsonObject } from './json.js';

const ENDS = new Set(
  ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((one) => `TASK_STATE_${one}`),
);
const PAUSE_MS = 50;

/**
 * A client that reads the stream of one task to its end, however often the hub goes away: it comes back
 * with `Last-Event-ID`, or, when it never saw an event, sends the same message again under the same
 * `Idempotency-Key`.
 */
export class ResumingReader {
  /** Every event it was shown, over all its streams. */
  readonly events: StreamedEvent[] = [];
  /** How often it had to come back. */
  resumed = 0;
  private readonly idempotencyKey = randomUUID();

  constructor(
    private readonly hub: HubClient,
    private readonly text: string,
    private readonly params: JsonObject,
  ) {}

  get taskId(): string | undefined {
    for (const { data } of this.events) {
      const id = (data.task?.id ?? data.statusUpdate?.taskId ?? data.artifactUpdate?.taskId) as
        | string
        | undefined;
      if (id) return id;
    }
    return undefined;
  }

  /** The texts of all artifact parts it was shown, in order. */
  get chunks(): string[] {
    return this.events.flatMap(({ data }) => {
      const artifacts = (data.task?.artifacts ?? [data.artifactUpdate?.artifact]) as JsonObject[];
      return artifacts
        .filter(Boolean)
        .flatMap((artifact) => (artifact.parts as JsonObject[]).map(({ text }) => String(text)));
    });
  }

  /** The newest state it was shown. */
  get state(): string | undefined {
    const told = this.events.map(
      ({ data }) => (data.task ?? data.statusUpdate)?.status.state as string | undefined,
    );
    return told.findLast((state) => state !== undefined);
  }

  /** Reads until the task has ended; rejects after `deadlineMs`. */
  async readToEnd(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    while (!ENDS.has(this.state ?? '')) {
      if (performance.now() > end) {
        throw new Error(`task ${this.taskId} is still ${this.state}: ${this.chunks.join(' ')}`);
      }
      try {
        await this.readOnce();
      } catch {
        // The hub is away, or has cut the stream: come back.
      }
      if (!ENDS.has(this.state ?? '')) await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }

  private async readOnce(): Promise<void> {
    const lastEventId = this.events.at(-1)?.id;
    const stream = lastEventId
      ? await this.hub.stream('SubscribeToTask', { id: this.taskId }, { lastEventId })
      : await this.hub.stream(
          'SendStreamingMessage',
          { ...this.params, message: userMessage(this.text, this.params.message as JsonObject) },
          { headers: { 'idempotency-key': this.idempotencyKey } },
        );
    if (lastEventId) this.resumed++;
    for await (const event of stream) this.events.push(event);
  }
}
