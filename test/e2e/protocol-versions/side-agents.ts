import { randomUUID } from 'node:crypto';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import * as grpc from '@grpc/grpc-js';
import type { JsonObject } from '../../support/json.js';
import { ScriptedAgent } from '../../support/scripted-agent.js';
import {
  type Dialect,
  eventOf,
  type EventFields,
  type Ids,
  type TaskFields,
  taskOf,
} from './dialects.js';

/** One call that an agent got; its message is in the agent's own dialect. */
export interface Received {
  readonly method: string;
  readonly message: JsonObject;
  readonly configuration: JsonObject | undefined;
  readonly metadata: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An agent that speaks one dialect, answers as it is told, and keeps what it got. */
export abstract class SideAgent {
  /** Calls that send a message, oldest first. */
  readonly received: Received[] = [];
  /** Names of all methods it was called by, oldest first. */
  readonly methods: string[] = [];
  /** Metadata of the cancels it got, oldest first. */
  readonly canceledWith: unknown[] = [];
  /** What a message is answered with. */
  answer: TaskFields | EventFields = {};
  /** What a stream shows. */
  stream: readonly EventFields[] = [];
  /** What GetTask gives; the answer when it is not set. */
  stored: TaskFields | undefined;
  protected readonly tasks = new Map<string, Ids>();

  protected constructor(
    readonly dialect: Dialect,
    /** Its id in the hub. */
    readonly id: string,
  ) {}

  /** The card, of the version the agent speaks. */
  abstract card(): JsonObject;
  abstract close(): Promise<void>;

  static start(
    dialect: Dialect,
    id: string,
    streaming: boolean,
    extension?: string,
  ): Promise<SideAgent> {
    const extensions = extension === undefined ? [] : [{ uri: extension }];
    const capabilities = { streaming, pushNotifications: true, extensions };
    return dialect === 'proto'
      ? ProtoAgent.listen(id, capabilities)
      : JsonAgent.listen(dialect, id, capabilities);
  }

  /** The agent's own id of a task, counted from the last one (-1). */
  lastTaskId(index: number): string | undefined {
    return [...this.tasks.keys()].at(index);
  }

  protected begin(message: JsonObject): Ids {
    const id = String(message['taskId'] || randomUUID());
    const ids = { id, contextId: String(message['contextId'] || randomUUID()) };
    this.tasks.set(id, ids);
    return ids;
  }

  protected events(ids: Ids): JsonObject[] {
    return this.stream.map((event) => eventOf(this.dialect, event, ids));
  }

  /** The task as a later look shows it. */
  protected task(id: string, instead?: TaskFields): JsonObject | undefined {
    const ids = this.tasks.get(id);
    const fields = instead ?? this.stored ?? (this.answer as TaskFields);
    return ids && taskOf(this.dialect, fields, ids);
  }

  protected answered(ids: Ids): { readonly kind: 'task' | 'message'; readonly value: JsonObject } {
    if ('kind' in this.answer && this.answer.kind === 'message') {
      const event = eventOf(this.dialect, this.answer, ids);
      const value =
        this.dialect === '1.0'
          ? event['message']
          : this.dialect === '0.3'
            ? event
            : event['payload']['value'];
      return { kind: 'message', value: value as JsonObject };
    }
    return { kind: 'task', value: this.task(ids.id, this.answer as TaskFields)! };
  }
}

/** What agents of every dialect say of themselves. */
function cardFields(capabilities: JsonObject): JsonObject {
  return {
    name: 'An agent',
    description: 'An agent of the tests.',
    version: '1.0.0',
    capabilities,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Work', description: 'Works.', tags: ['work'] }],
  };
}

/** Over JSON-RPC, in 1.0 or 0.3. */
class JsonAgent extends SideAgent {
  private scripted!: ScriptedAgent;

  static async listen(
    dialect: '1.0' | '0.3',
    id: string,
    capabilities: JsonObject,
  ): Promise<JsonAgent> {
    const agent = new JsonAgent(dialect, id, capabilities);
    agent.scripted = await ScriptedAgent.start({ handlers: { '*': (call) => agent.serve(call) } });
    return agent;
  }

  private constructor(
    dialect: '1.0' | '0.3',
    id: string,
    private readonly capabilities: JsonObject,
  ) {
    super(dialect, id);
  }

  card(): JsonObject {
    const url = `${this.scripted.url}/rpc`;
    const fields = cardFields(this.capabilities);
    if (this.dialect === '0.3') {
      return { ...fields, protocolVersion: '0.3.0', url, preferredTransport: 'JSONRPC' };
    }
    const only = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    return { ...fields, supportedInterfaces: [only] };
  }

  close(): Promise<void> {
    return this.scripted.close();
  }

  private serve(call: ScriptedAgent['calls'][number]): void {
    const { method, params, headers } = call;
    this.methods.push(method);
    const { configuration, metadata } = params as Record<string, JsonObject | undefined>;
    switch (method) {
      case 'SendMessage':
      case 'message/send': {
        this.received.push({ method, message: call.message, configuration, metadata, headers });
        const { kind, value } = this.answered(this.begin(call.message));
        return call.result(this.dialect === '1.0' ? { [kind]: value } : value);
      }
      case 'SendStreamingMessage':
      case 'message/stream': {
        this.received.push({ method, message: call.message, configuration, metadata, headers });
        for (const event of this.events(this.begin(call.message))) call.event(event);
        return call.end();
      }
      case 'GetTask':
      case 'tasks/get':
        return call.result(this.task(String(params['id'])));
      case 'CancelTask':
      case 'tasks/cancel':
        this.canceledWith.push(metadata);
        return call.result(this.task(String(params['id']), { state: 'canceled' }));
      default:
        return call.error(-32601, 'Method not found');
    }
  }
}

type Unary = grpc.ServerUnaryCall<JsonObject, unknown>;
type Streaming = grpc.ServerWritableStream<JsonObject, unknown>;
type Done = (error: Partial<grpc.ServiceError> | null, response?: unknown) => void;

/** Over gRPC of 0.3. */
class ProtoAgent extends SideAgent {
  private readonly server = new grpc.Server();
  private port = 0;

  static async listen(id: string, capabilities: JsonObject): Promise<ProtoAgent> {
    const agent = new ProtoAgent(id, capabilities);
    agent.server.addService(
      LegacyA2AService,
      agent.handlers() as unknown as grpc.UntypedServiceImplementation,
    );
    agent.port = await new Promise<number>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      agent.server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    return agent;
  }

  private constructor(
    id: string,
    private readonly capabilities: JsonObject,
  ) {
    super('proto', id);
  }

  card(): JsonObject {
    const url = `http://127.0.0.1:${this.port}`;
    const version = { protocolVersion: '0.3.0', url, preferredTransport: 'GRPC' };
    return { ...cardFields(this.capabilities), ...version };
  }

  close(): Promise<void> {
    this.server.forceShutdown();
    return Promise.resolve();
  }

  private handlers(): Record<string, (call: never, done: Done) => void> {
    return {
      sendMessage: (call: Unary, done: Done) => {
        const { kind, value } = this.answered(this.receive('SendMessage', call));
        done(null, { payload: { $case: kind === 'message' ? 'msg' : 'task', value } });
      },
      sendStreamingMessage: (call: Streaming) => {
        for (const event of this.events(this.receive('SendStreamingMessage', call))) {
          call.write(event);
        }
        call.end();
      },
      taskSubscription: (call: Streaming) => {
        this.methods.push('TaskSubscription');
        call.emit('error', { code: grpc.status.UNIMPLEMENTED, details: 'not here' });
      },
      getTask: (call: Unary, done: Done) => {
        this.methods.push('GetTask');
        this.give(this.task(idIn(call)), done);
      },
      cancelTask: (call: Unary, done: Done) => {
        this.methods.push('CancelTask');
        this.canceledWith.push(call.request['metadata']);
        this.give(this.task(idIn(call), { state: 'canceled' }), done);
      },
    };
  }

  private receive(method: string, call: Unary | Streaming): Ids {
    const { request, configuration, metadata } = call.request as Record<string, JsonObject>;
    const headers = call.metadata.getMap() as Record<string, string>;
    this.methods.push(method);
    this.received.push({ method, message: request!, configuration, metadata, headers });
    return this.begin(request!);
  }

  private give(task: JsonObject | undefined, done: Done): void {
    if (task) done(null, task);
    else done({ code: grpc.status.NOT_FOUND, details: 'Task not found' });
  }
}

function idIn({ request }: Unary): string {
  return String(request['name']).replace(/^tasks\//, '');
}
