import type { HubProcess } from '../hub-process.js';
import type { Json, JsonObject } from '../json.js';
import type { Receiver } from './receivers.js';

/** One webhook of a task. */
export interface ChaosWebhook {
  /** Unique; the end of its URL and its config id. */
  readonly name: string;
  readonly receiver: Receiver;
  /** It was registered with the message, so it is told everything. */
  readonly isInline: boolean;
}

/** A task and its webhooks, brought to the hub whatever becomes of the hub meanwhile. */
export class ChaosTask {
  /** The hub's id of it. */
  taskId = '';
  /** The state it ended in. */
  state = '';

  constructor(
    private readonly hub: HubProcess,
    private readonly index: number,
    readonly webhooks: readonly ChaosWebhook[],
    private readonly deadline: number,
  ) {}

  /**
   * Sends the message with the first webhook, then registers the others. One that nobody can reach is not
   * sent along: repeated after a kill, it may be refused for the address that it has by then.
   */
  async begin(): Promise<void> {
    const [first, ...others] = this.webhooks;
    const inline = first?.receiver.isReachable ? first : undefined;
    if (first !== undefined && inline === undefined) others.unshift(first);
    const task = await this.insist(() =>
      this.hub.submit(
        `task ${this.index}`,
        {
          message: { messageId: `m-${this.index}`, metadata: { agentId: 'counter' } },
          ...(inline && { configuration: { taskPushNotificationConfig: configOf(inline) } }),
        },
        { headers: { 'idempotency-key': `task-${this.index}` } },
      ),
    );
    this.taskId = String(task['id']);
    for (const webhook of others) await this.register(webhook);
  }

  /** One that was stored before the hub was killed may have an address since then that would be refused. */
  private async register(webhook: ChaosWebhook): Promise<void> {
    const params = { taskId: this.taskId, ...configOf(webhook) };
    let isAgain = false;
    await this.insist(async () => {
      if (isAgain && (await this.isStored(webhook))) return params;
      isAgain = true;
      return this.hub.rpc('CreateTaskPushNotificationConfig', params);
    });
  }

  private async isStored({ name }: ChaosWebhook): Promise<boolean> {
    const params = { taskId: this.taskId };
    const { configs = [] } = (await this.hub.rpc('ListTaskPushNotificationConfigs', params)) as {
      configs?: { id: string }[];
    };
    return configs.some(({ id }) => id === name);
  }

  /** Again until the hub is there to answer. */
  private async insist<T extends Json>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if ((error as Error).name === 'RpcError' || performance.now() > this.deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

function configOf({ name, receiver }: ChaosWebhook): JsonObject {
  return { id: name, url: receiver.url(name) };
}
