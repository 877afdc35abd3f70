import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { type Hub, type HubOptions, startHub } from './app.js';
import { userMessage } from './builders.js';
import type { EventStream } from './event-stream.js';
import { eventually } from './eventually.js';
import type { JsonObject } from './json.js';
import type { LiveTask } from './live-task.js';
import { ScriptedAgent } from './scripted-agent.js';
import { type ReceivedWebhook, WebhookSink } from './webhook-sink.js';

/** A hub with agents whose tasks do what the test says, step by step, and a receiver of webhooks. */
export class Stage {
  private readonly agents = new Map<string, ScriptedAgent>();
  private messages = 0;

  private constructor(
    readonly hub: Hub,
    readonly sink: WebhookSink,
  ) {}

  /** Each agent's id is also the tag of its one skill, beside `stage`. */
  static async start(ids: readonly string[], options: HubOptions = {}): Promise<Stage> {
    const [hub, sink] = await Promise.all([startHub(options), WebhookSink.start()]);
    const stage = new Stage(hub, sink);
    for (const id of ids) await stage.add(id);
    return stage;
  }

  async add(id: string): Promise<ScriptedAgent> {
    const agent = await ScriptedAgent.start({
      name: `Agent ${id}`,
      skills: [{ id: 'work', tags: [id, 'stage'] }],
      live: { manual: true },
    });
    this.agents.set(id, agent);
    await this.hub.registerAgent(agent.url, { id });
    return agent;
  }

  agent(id: string): ScriptedAgent {
    const found = this.agents.get(id);
    if (!found) throw new Error(`no agent ${id} on this stage`);
    return found;
  }

  /** The task an agent has begun for this message, as soon as it has. */
  task(id: string, message: Pick<Sent, 'text'>): Promise<LiveTask> {
    return eventually(() => {
      const found = [...this.agent(id).tasks.values()].find((task) =>
        JSON.stringify(task.snapshot()['history']).includes(message.text),
      );
      if (!found) throw new Error(`agent ${id} has not begun "${message.text}"`);
      return found;
    }, 10_000);
  }

  /** Agents that are told to stop one of their tasks, as soon as they are. */
  async canceled(id: string, message: Pick<Sent, 'text'>): Promise<void> {
    const task = await this.task(id, message);
    await eventually(() => {
      const told = this.agent(id)
        .callsOf('CancelTask')
        .some(({ params }) => params['id'] === task.id);
      if (!told) throw new Error(`agent ${id} has not been told to stop "${message.text}"`);
    }, 10_000);
  }

  /** Sends a message by stream, with a webhook of its own. */
  async send(directive: JsonObject): Promise<Sent> {
    const number = ++this.messages;
    const text = `message ${number};`;
    const path = `/${number}`;
    const stream = await this.hub.stream('SendStreamingMessage', {
      message: userMessage(text, { metadata: { [ROUTING_EXTENSION_URI]: directive } }),
      configuration: { taskPushNotificationConfig: { url: this.sink.url(path) } },
    });
    const first = await stream.next();
    return new Sent(this, text, path, stream, String(first?.data.task?.id));
  }

  /** A task as operators see it. */
  async view(taskId: string): Promise<JsonObject> {
    const { body } = await this.hub.admin('GET', `/api/v1/tasks/${taskId}`);
    return body as JsonObject;
  }

  /** Waits until the hub has logged so many artifacts that do not count yet. */
  async held(taskId: string, count: number): Promise<void> {
    await eventually(async () => {
      const { events } = await this.view(taskId);
      const held = (events as JsonObject[]).filter(({ kind }) => kind === 'held');
      if (held.length < count) throw new Error(`${held.length} of ${count} artifacts are held`);
    }, 10_000);
  }

  async close(): Promise<void> {
    await this.hub?.close();
    await Promise.all([...this.agents.values()].map((agent) => agent.close()));
    await this.sink?.close();
  }
}

/** A message that was sent by stream, and what has come of it. */
export class Sent {
  constructor(
    private readonly stage: Stage,
    readonly text: string,
    private readonly path: string,
    private readonly stream: EventStream,
    readonly taskId: string,
  ) {}

  /** Reads the stream to its end; what it has shown, in short. */
  async story(): Promise<string[]> {
    await this.stream.collect();
    return this.shown;
  }

  /** What the stream has shown so far, in short: `WORKING: text`, `a.chunks=text`, … */
  get shown(): string[] {
    return this.stream.events.map(({ data }) => inShort(data));
  }

  /** Reads on until the stream has shown this. */
  async until(wanted: string): Promise<void> {
    if (this.shown.includes(wanted)) return;
    await this.stream.until(({ data }) => inShort(data) === wanted);
  }

  /** What the webhook was told up to the task's end, each delivery once, in short. */
  async told(): Promise<string[]> {
    const isEnd = ({ json, path }: ReceivedWebhook): boolean =>
      path === this.path &&
      /^(COMPLETED|FAILED|CANCELED|REJECTED)/.test(inShort(json as JsonObject));
    await this.stage.sink.waitFor(isEnd);
    return this.stage.sink.at(this.path).map(({ json }) => inShort(json as JsonObject));
  }

  get view(): Promise<JsonObject> {
    return this.stage.view(this.taskId);
  }

  get task(): Promise<JsonObject> {
    return this.stage.hub.getTask(this.taskId);
  }

  close(): void {
    this.stream.close();
  }
}

function inShort({ task, statusUpdate, artifactUpdate }: JsonObject): string {
  if (artifactUpdate) {
    const { artifact, append } = artifactUpdate as JsonObject;
    return `${artifact.artifactId}${append ? '+' : '='}${textOf(artifact as JsonObject, '|')}`;
  }
  const { state, message } = (task ?? statusUpdate)!.status as JsonObject;
  const text = textOf(message as JsonObject | undefined, ' ');
  return String(state).replace('TASK_STATE_', '') + (text && `: ${text}`);
}

function textOf(from: JsonObject | undefined, between: string): string {
  return ((from?.['parts'] ?? []) as JsonObject[]).map(({ text }) => String(text)).join(between);
}
