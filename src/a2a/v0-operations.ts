import { isRecord } from '../common/is-record.js';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import { snakeCase } from '../protocol/snake-case.js';
import { noteOperation } from '../common/call-note.js';
import { hubErrorOf } from '../common/hub-error.js';
import { isLong } from '../common/long-work.js';
import { SMALL } from '../common/slices.js';
import type { CallContext } from '../auth/index.js';
import { type CardForm, cardJson } from './cards/card-forms.js';
import type { HubRequestHandler, SourceDetails } from './hub-request-handler.js';
import { OPERATIONS, type RestRoute } from './operations.js';
import { blockingOf } from './v0-blocking.js';
import { V0RequestHandler, lastSeqOf, sdkContextOf } from './v0-request-handler.js';
import { checkParams } from './validation/check-params.js';
import { type Shape } from './validation/shape.js';
import * as shapes from './validation/v0-requests.js';

/** The SDK's translation between 0.3 and the canonical types; no binding is left in what it takes and gives. */
type Sdk = LegacyRestTransportHandler;
type Params = Readonly<Record<string, unknown>>;
type ResultOf<Name extends keyof Sdk> = Sdk[Name] extends (...args: never[]) => Promise<infer R>
  ? R
  : never;

/** The objects of A2A 0.3 (types.ts of that version), as the SDK types them. */
export type LegacyTask = ResultOf<'getTask'>;
export type LegacyMessage = Exclude<ResultOf<'sendMessage'>, LegacyTask>;
export type LegacyPushConfig = ResultOf<'getTaskPushNotificationConfig'>;
export type LegacyEvent =
  ResultOf<'sendMessageStream'> extends AsyncGenerator<infer Event, void, undefined>
    ? Event
    : never;

/** One item of a stream in 0.3: its seq in the task's log, and the event. */
export interface LegacyItem {
  readonly seq: number;
  readonly event: LegacyEvent;
}

/** The forms of cards that 0.3 reads. */
export type LegacyCardForm = Extract<CardForm, `0.3${string}`>;

interface NamedOperation {
  /** The operation of 1.0 that it is. */
  readonly name: string;
  /** Its JSON-RPC method in 0.3. */
  readonly method: string;
  /** Its routes in HTTP+JSON 0.3, below `/v1`: those of 1.0, but for the card. */
  readonly rest: readonly RestRoute[];
  /** What its request must look like. */
  readonly shape: Shape;
}

interface LegacyUnaryOperation extends NamedOperation {
  readonly kind: 'unary';
  /**
   * Checks `params` as 0.3 names them, calls, and gives the answer in the JSON of 0.3; a card in the
   * form that is asked for.
   */
  run(
    handler: HubRequestHandler,
    params: unknown,
    call: CallContext,
    card?: LegacyCardForm,
  ): Promise<unknown>;
}

interface LegacyStreamingOperation extends NamedOperation {
  readonly kind: 'stream';
  /** Checks `params`, throwing at once, and begins; what is refused later rejects the first item. */
  run(
    handler: HubRequestHandler,
    params: unknown,
    call: CallContext,
  ): AsyncGenerator<LegacyItem, void, undefined>;
}

export type LegacyOperation = LegacyUnaryOperation | LegacyStreamingOperation;

/** What the canonical request cannot say, read off the raw `params`. */
type Details = (params: Params) => SourceDetails;

const sendDetails: Details = ({ configuration }) => {
  const config = members(configuration, 'pushNotificationConfig');
  const { authentication } = members(config.pushNotificationConfig);
  return { blocking: blockingOf(config), authentication };
};

const pushDetails: Details = (params) => {
  const { pushNotificationConfig } = members(params, 'pushNotificationConfig');
  return { authentication: members(pushNotificationConfig)['authentication'] };
};

/** The hub renders its card itself: it knows what readers of each version insist on. */
const EXTENDED_CARD: LegacyOperation = {
  kind: 'unary',
  ...named('GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard', shapes.noParams),
  async run(handler, params, call, form = '0.3') {
    noteOperation(call.note, 'GetExtendedAgentCard');
    checkParams(shapes.noParams, params);
    const card = await handler.getExtendedAgentCard({ tenant: '' }, call, form);
    return cardJson(card, form);
  },
};

/**
 * The operations of A2A 0.3 and 0.2.5 by their name in 1.0: what each binding needs to serve them. The
 * SDK's compatibility layer translates; what it does not check, or reads wrongly, is settled before.
 */
export const LEGACY_OPERATIONS: ReadonlyMap<string, LegacyOperation> = new Map(
  [
    unary('SendMessage', 'message/send', shapes.messageSend, {
      details: sendDetails,
      call: (sdk, params, context) => sdk.sendMessage(as(params), context),
    }),
    streaming('SendStreamingMessage', 'message/stream', shapes.messageSend, {
      details: sendDetails,
      call: (sdk, params, context) => sdk.sendMessageStream(as(params), context),
    }),
    unary('GetTask', 'tasks/get', shapes.taskQuery, {
      call: (sdk, { id, historyLength }, context) => sdk.getTask(as(id), context, historyLength),
    }),
    unary('CancelTask', 'tasks/cancel', shapes.taskId, {
      details: ({ metadata }) => ({ metadata: isRecord(metadata) ? metadata : undefined }),
      call: (sdk, { id }, context) => sdk.cancelTask(as(id), context),
    }),
    streaming('SubscribeToTask', 'tasks/resubscribe', shapes.taskId, {
      call: (sdk, { id }, context) => sdk.resubscribe(as(id), context),
    }),
    unary(
      'CreateTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/set',
      shapes.setPushConfig,
      {
        details: pushDetails,
        call: (sdk, params, context) => sdk.setTaskPushNotificationConfig(as(params), context),
      },
    ),
    unary(
      'GetTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/get',
      shapes.getPushConfig,
      {
        call: firstByDefault((sdk, { id, pushNotificationConfigId = '' }, context) =>
          sdk.getTaskPushNotificationConfig(as(id), as(pushNotificationConfigId), context),
        ),
      },
    ),
    unary('ListTaskPushNotificationConfigs', 'tasks/pushNotificationConfig/list', shapes.taskId, {
      call: (sdk, { id }, context) => sdk.listTaskPushNotificationConfigs(as(id), context),
    }),
    unary(
      'DeleteTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/delete',
      shapes.deletePushConfig,
      {
        call: async (sdk, { id, pushNotificationConfigId }, context) => {
          await sdk.deleteTaskPushNotificationConfig(as(id), as(pushNotificationConfigId), context);
          return null;
        },
      },
    ),
    EXTENDED_CARD,
  ].map((operation) => [operation.name, operation]),
);

type Call = (sdk: Sdk, params: Params, context: ServerCallContext) => Promise<unknown>;

/**
 * Without an id it is the task's first config. Clients of 0.x that set one without an id ask for it by
 * `default`, so it is the first as well when none has that id.
 */
function firstByDefault(get: Call): Call {
  return async (sdk, params, context) => {
    try {
      return await get(sdk, params, context);
    } catch (thrown) {
      const { pushNotificationConfigId: requested, ...first } = params;
      if (requested !== 'default' || hubErrorOf(thrown).reason !== 'TASK_NOT_FOUND') throw thrown;
      return get(sdk, first, context).catch(() => {
        throw thrown;
      });
    }
  };
}

function unary(
  name: string,
  method: string,
  shape: Shape,
  steps: {
    readonly details?: Details;
    readonly call: Call;
  },
): LegacyOperation {
  return {
    kind: 'unary',
    ...named(name, method, shape),
    async run(handler, params, call) {
      noteOperation(call.note, name);
      const { sdk, known, context } = prepared(shape, steps.details, handler, params, call);
      return steps.call(sdk, known, context);
    },
  };
}

function streaming(
  name: string,
  method: string,
  shape: Shape,
  steps: {
    readonly details?: Details;
    call(
      sdk: Sdk,
      params: Params,
      context: ServerCallContext,
    ): Promise<AsyncGenerator<LegacyEvent, void, undefined>>;
  },
): LegacyOperation {
  return {
    kind: 'stream',
    ...named(name, method, shape),
    run(handler, params, call) {
      noteOperation(call.note, name);
      const { sdk, known, context } = prepared(shape, steps.details, handler, params, call);
      return numbered(() => steps.call(sdk, known, context), context);
    },
  };
}

function named(name: string, method: string, shape: Shape): NamedOperation {
  const rest = OPERATIONS.get(name)!.rest.map((route) => ({
    ...route,
    path: route.path === '/extendedAgentCard' ? '/card' : route.path,
  }));
  return { name, method, rest, shape };
}

function prepared(
  shape: Shape,
  details: Details | undefined,
  handler: HubRequestHandler,
  params: unknown,
  call: CallContext,
): { sdk: Sdk; known: Params; context: ServerCallContext } {
  checkParams(shape, params);
  return {
    sdk: new LegacyRestTransportHandler(new V0RequestHandler(handler)),
    known: shape.known(params) as Params,
    context: sdkContextOf(call, details?.(params as Params) ?? {}),
  };
}

async function* numbered(
  open: () => Promise<AsyncGenerator<LegacyEvent, void, undefined>>,
  context: ServerCallContext,
): AsyncGenerator<LegacyItem, void, undefined> {
  let question: { seq: number; event: LegacyStatusUpdate } | undefined;
  for await (const event of await open()) {
    if (question !== undefined) yield question;
    const item = { seq: lastSeqOf(context), event };
    question = isQuestion(event) ? { ...item, event } : undefined;
    if (question !== undefined) continue;
    yield item;
    if (event.kind === 'task' || isLong(event, SMALL)) empty(event);
  }
  if (question !== undefined) yield { ...question, event: { ...question.event, final: true } };
}

/** What has been written of a stream: the SDK's generators keep it until the next event comes. */
function empty(event: LegacyEvent): void {
  for (const name of Object.keys(event)) Reflect.deleteProperty(event, name);
}

type LegacyStatusUpdate = Extract<LegacyEvent, { kind: 'status-update' }>;

/**
 * A question: a stream of the hub ends at the last one, which 0.x says with `final` (the SDK says it at ends only). In a
 * replay it may have been answered.
 */
function isQuestion(event: LegacyEvent): event is LegacyStatusUpdate {
  return event.kind === 'status-update' && event.status.state === 'input-required';
}

/** A value whose shape has been checked, as the SDK types it. */
function as<Type>(checked: unknown): Type {
  return checked as Type;
}

/** The members of an object, one of them also under its snake_case name; of nothing, none. */
function members(value: unknown, camel?: string): Params {
  if (!isRecord(value)) return {};
  if (camel === undefined || value[camel] !== undefined) return value;
  return { ...value, [camel]: value[snakeCase(camel)] };
}
