import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.js';

/** Who reads the events of a task: an open stream. */
interface Follower {
  event(payload: JsonObject): unknown;
  end(): void;
  readonly closed: Promise<void>;
}

export interface LiveTaskOptions {
  /** Chunks of the one artifact, the texts `1` to `N`; default 3. */
  readonly chunks?: number;
  /** Milliseconds between two chunks; default 0 (as fast as the event loop turns). */
  readonly everyMs?: number;
  /** How many chunks it may have emitted by now: it waits there until the answer is a larger one. */
  readonly upTo?: () => number;
  /** Asks for input after this many chunks, once; goes on with the answer. */
  readonly askAfter?: number;
  /** Does not begin by itself: the test calls the task's methods. */
  readonly manual?: boolean;
}

/** The id of the artifact that holds the numbered chunks. */
export const CHUNKS_ARTIFACT = 'chunks';

/**
 * A task of a {@link ScriptedAgent} that goes on by itself: it emits the chunks `1` to `N` of one
 * artifact, one part each, and completes, whoever listens. What it has emitted is in its snapshot.
 */
export class LiveTask {
  readonly id = `down-${randomUUID()}`;
  readonly parts: string[] = [];
  state = 'TASK_STATE_SUBMITTED';
  private question: JsonObject | undefined;
  private readonly history: JsonObject[];
  private readonly followers = new Set<Follower>();
  private timer: NodeJS.Timeout | undefined;
  private requested = false;

  constructor(
    message: JsonObject,
    readonly contextId: string,
    private readonly options: LiveTaskOptions,
  ) {
    this.history = [{ ...message, taskId: this.id, contextId }];
  }

  get ended(): boolean {
    return ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].includes(
      this.state.replace('TASK_STATE_', ''),
    );
  }

  get total(): number {
    return this.options.chunks ?? 3;
  }

  start(): void {
    if (this.options.manual) return;
    this.schedule();
  }

  /** The client's answer to a question. */
  resume(message: JsonObject): void {
    this.history.push({ ...message, taskId: this.id, contextId: this.contextId });
    this.question = undefined;
    this.setState('TASK_STATE_WORKING');
    if (!this.options.manual) this.schedule();
  }

  /** Emits the next chunk; its text is its number when the test gives none. */
  chunk(text?: string): void {
    if (this.state === 'TASK_STATE_SUBMITTED') this.setState('TASK_STATE_WORKING');
    const number = this.parts.length + 1;
    const part = { text: text ?? String(number) };
    this.parts.push(part.text);
    this.emit({
      artifactUpdate: {
        taskId: this.id,
        contextId: this.contextId,
        artifact: {
          artifactId: CHUNKS_ARTIFACT,
          name: 'Numbered chunks',
          parts: [part],
        },
        append: number > 1,
        lastChunk: number === this.total,
      },
    });
  }

  setState(state: string, text?: string): void {
    this.state = state;
    this.question = text === undefined ? undefined : this.agentMessage(text);
    this.emit({
      statusUpdate: { taskId: this.id, contextId: this.contextId, status: this.status() },
    });
  }

  /** Ends the task and the streams of all who follow. */
  end(state = 'TASK_STATE_COMPLETED'): void {
    this.stop();
    this.setState(state);
    this.release();
  }

  /** Stops emitting; nothing is told to anybody. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /** Streams to this caller: the task as it is, then every event, until it ends or asks. */
  follow(call: Follower): void {
    call.event({ task: this.snapshot() });
    if (this.ended || this.state === 'TASK_STATE_INPUT_REQUIRED') return call.end();
    this.followers.add(call);
    void call.closed.then(() => this.followers.delete(call));
  }

  /** The task in 1.0 wire JSON. */
  snapshot(): JsonObject {
    return {
      id: this.id,
      contextId: this.contextId,
      status: this.status(),
      artifacts:
        this.parts.length === 0
          ? []
          : [
              {
                artifactId: CHUNKS_ARTIFACT,
                name: 'Numbered chunks',
                parts: this.parts.map((text) => ({ text })),
              },
            ],
      history: this.history,
    };
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      if (this.ended) return;
      if (!this.requested && this.options.askAfter === this.parts.length) {
        this.requested = true;
        this.setState('TASK_STATE_INPUT_REQUIRED', 'Which one?');
        this.release();
      } else if (this.parts.length < this.total) {
        if (this.parts.length < (this.options.upTo?.() ?? this.total)) this.chunk();
        this.schedule();
      } else {
        this.end();
      }
    }, this.options.everyMs ?? 0);
  }

  private status(): JsonObject {
    return {
      state: this.state,
      timestamp: new Date().toISOString(),
      ...(this.question ? { message: this.question } : {}),
    };
  }

  private agentMessage(text: string): JsonObject {
    return {
      messageId: randomUUID(),
      role: 'ROLE_AGENT',
      taskId: this.id,
      contextId: this.contextId,
      parts: [{ text }],
    };
  }

  private emit(payload: JsonObject): void {
    for (const follower of this.followers) follower.event(payload);
  }

  private release(): void {
    for (const follower of this.followers) follower.end();
    this.followers.clear();
  }
}
