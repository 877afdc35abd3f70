import { randomUUID } from 'node:crypto';
import { ROUTING_EXTENSION_URI } from '../../../src/protocol/routing-extension.js';
import { userMessage } from '../builders.js';
import type { StreamedEvent } from '../event-stream.js';
import { RpcError, stateOf, type HubClient } from '../hub-client.js';
import type { JsonObject } from '../json.js';
import { markOf, metadataOf, type Job } from './jobs.js';

const PAUSE_MS = 100;
/** Between two tries to reach a hub that is away. */
const AWAY_PAUSE_MS = 250;
const TERMINAL: ReadonlySet<string> = new Set(
  ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((end) => `TASK_STATE_${end}`),
);
const ASKED = 'TASK_STATE_INPUT_REQUIRED';

export function isTerminal(state: string | undefined): boolean {
  return TERMINAL.has(state ?? '');
}

/**
 * The client of one job: sends its message once, and stays with the task until it has ended or asks
 * what this client does not answer, however often the hub goes away.
 */
export class FleetClient {
  /** Every event its streams have shown. */
  readonly events: StreamedEvent[] = [];
  /** Why the hub took no task on. */
  refusal: RpcError | undefined;
  taskId: string | undefined;
  /** The newest state it knows. */
  state: string | undefined;
  /** How often it had to come back. */
  lost = 0;
  private canceled = false;
  private leave: () => void = () => undefined;
  private readonly idempotencyKey = randomUUID();
  private readonly message: JsonObject;

  constructor(
    private readonly hub: HubClient,
    readonly job: Job,
    private readonly webhookUrl: string | undefined,
  ) {
    this.message = userMessage(markOf(job), { metadata: metadataOf(job) });
  }

  get done(): boolean {
    const waits = this.state === ASKED && !this.job.answers;
    return this.refusal !== undefined || isTerminal(this.state) || waits;
  }

  /** The hub has told that an agent works on it. */
  get working(): boolean {
    return !this.done && this.state === 'TASK_STATE_WORKING';
  }

  /** Gives up after `deadlineMs`: the task is then as it is. */
  async run(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    const timer = setTimeout(() => this.leave(), deadlineMs);
    while (!this.done && performance.now() < end) {
      try {
        await this.goOn();
      } catch (error) {
        const isAway = !(error instanceof RpcError);
        if (isAway) this.lost += 1;
        else if (this.taskId === undefined) this.refusal = error;
        await pause(isAway ? AWAY_PAUSE_MS : PAUSE_MS);
      }
    }
    clearTimeout(timer);
  }

  private async goOn(): Promise<void> {
    if (this.state === ASKED) await this.answer();
    if (this.job.reads === 'stream') return this.read();
    if (this.taskId === undefined) return this.send();
    this.know(await this.hub.getTask(this.taskId));
    if (!this.done) await pause();
  }

  private async read(): Promise<void> {
    const lastEventId = this.events.at(-1)?.id;
    const stream = lastEventId
      ? await this.hub.stream('SubscribeToTask', { id: this.taskId }, { lastEventId })
      : await this.hub.stream('SendStreamingMessage', this.request({}), this.options);
    this.leave = () => stream.close();
    for await (const event of stream) {
      if (event.error) throw new Error(`the stream broke off: ${JSON.stringify(event.error)}`);
      this.events.push(event);
      const { task, statusUpdate, artifactUpdate } = event.data;
      this.taskId ??= (task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId) as string;
      this.state = (task ?? statusUpdate)?.status.state ?? this.state;
      if (artifactUpdate) this.cancel();
    }
  }

  private async send(): Promise<void> {
    const returnImmediately = this.job.reads === 'poll';
    const answer = await this.hub.rpc(
      'SendMessage',
      this.request({ returnImmediately }),
      this.options,
    );
    this.know(answer.task as JsonObject);
  }

  private request(configuration: JsonObject): JsonObject {
    const push = this.webhookUrl && { taskPushNotificationConfig: { url: this.webhookUrl } };
    return { message: this.message, configuration: { ...configuration, ...push } };
  }

  private get options(): { headers: Record<string, string> } {
    return { headers: { 'idempotency-key': this.idempotencyKey } };
  }

  private know(task: JsonObject): void {
    this.taskId = String(task['id']);
    this.state = stateOf(task);
    if (((task['artifacts'] ?? []) as unknown[]).length > 0) this.cancel();
  }

  private cancel(): void {
    if (!this.job.cancels || this.canceled) return;
    this.canceled = true;
    // It may have ended, or the hub may be away: then there is nothing to cancel, or nobody to ask.
    this.hub.rpc('CancelTask', { id: this.taskId }).catch(() => undefined);
  }

  /** Answers everybody who waits; the same answers again when the hub went away meanwhile. */
  private async answer(): Promise<void> {
    const { body } = await this.hub.admin('GET', `/api/v1/tasks/${this.taskId}`);
    const waiting = (body.delegations as JsonObject[]).filter(
      ({ state }) => state === 'input-required',
    );
    for (const { id } of waiting) {
      const message = userMessage('This one.', {
        messageId: `answer-${id}`,
        taskId: this.taskId,
        metadata: { [ROUTING_EXTENSION_URI]: { replyTo: id } },
      });
      await this.hub.rpc('SendMessage', { message, configuration: { returnImmediately: true } });
    }
    this.state = undefined;
  }
}

function pause(ms = PAUSE_MS): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
