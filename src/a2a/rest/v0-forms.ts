import { isRecord } from '../../common/is-record.js';
import type { IncomingHttpHeaders } from 'node:http';
import { single } from '../context-of-headers.js';
import type {
  LegacyCardForm,
  LegacyEvent,
  LegacyMessage,
  LegacyPushConfig,
  LegacyTask,
} from '../v0-operations.js';
import {
  type ProtoPeer,
  protoPushConfig,
  protoPushConfigs,
  protoTask,
  pushConfigOf,
  sendParamsOf,
  sendResponse,
  streamResponse,
} from '../v0-proto-json.js';
import { checkParams } from '../validation/check-params.js';
import {
  protoPushConfigAlone,
  protoSendMessage,
  protoSetPushConfig,
} from '../validation/v0-proto-requests.js';
import { peerOf } from './v0-rest-peers.js';

type Fields = Readonly<Record<string, unknown>>;

/** One of the two forms that HTTP+JSON 0.3 is spoken in. */
export interface RestForm {
  /** The body of a send, as `MessageSendParams`. Throws INVALID_PARAMS in the words of the form. */
  sendParams(body: Fields): unknown;
  /**
   * The body that sets a push config, as `TaskPushNotificationConfig` (its `taskId` may be missing); `configId` as in the
   * query, where ProtoJSON has what its body leaves out.
   */
  pushParams(body: Fields, configId: unknown): Fields;
  /** The form of a card that is answered. */
  readonly card: LegacyCardForm;
  /** What the operation of this name has given. */
  answer(operation: string, result: unknown): unknown;
  /** An event of a stream. */
  event(event: LegacyEvent): unknown;
}

/** The media type parameter of `Accept` that asks for the JSON of 0.3 where no body shows the form. */
const JSON_PROFILE = /;\s*profile="?a2a-json"?/i;

/**
 * The form of a request, which is that of its answer. The body shows it; without one it is ProtoJSON,
 * which the clients of Python, Java, Go and JavaScript speak, unless `Accept` asks for the other
 * (`application/json; profile=a2a-json`). With `isProto` something else has shown that it is ProtoJSON.
 */
export function formOf(body: unknown, headers: IncomingHttpHeaders, isProto = false): RestForm {
  if (isProto) return protoForm(peerOf(headers));
  const shown = isRecord(body) ? shownBy(body) : undefined;
  const json = shown ? shown === 'json' : JSON_PROFILE.test(single(headers.accept) ?? '');
  if (json) return JSON_FORM;
  return protoForm(peerOf(headers));
}

function shownBy(body: Fields): 'json' | 'proto' | undefined {
  const message = body['message'] ?? body['request'];
  if (isRecord(message)) {
    const role = typeof message['role'] === 'string' ? message['role'] : undefined;
    if ('content' in message || role?.startsWith('ROLE_')) return 'proto';
    return 'parts' in message || 'kind' in message || role !== undefined ? 'json' : undefined;
  }
  const config = isRecord(body['config']) ? body['config'] : body;
  if ('name' in body || 'parent' in body || 'name' in config) return 'proto';
  const marks = ['id', 'taskId', 'task_id', 'pushNotificationConfig'];
  return marks.some((mark) => mark in config) ? 'json' : undefined;
}

/** The JSON of types.ts, as JSON-RPC has it: bare objects, distinguished by their `kind`. */
export const JSON_FORM: RestForm = {
  sendParams: (body) => body,
  pushParams: (body) => (isRecord(body['config']) ? body['config'] : body),
  card: '0.3',
  answer: (_operation, result) => result ?? {},
  event: (event) => event,
};

function protoForm(peer: ProtoPeer): RestForm {
  return {
    sendParams(body) {
      // The field is `request`, its JSON name is `message`: ProtoJSON takes both.
      const request = { ...body, message: body['message'] ?? body['request'] };
      checkParams(protoSendMessage, request);
      return sendParamsOf(protoSendMessage.known(request) as Fields, peer);
    },
    pushParams(body, configId) {
      const shape = body['config'] === undefined ? protoPushConfigAlone : protoSetPushConfig;
      checkParams(shape, body);
      const request = { configId, ...(shape.known(body) as Fields) };
      return { pushNotificationConfig: pushConfigOf(request) };
    },
    card: '0.3-both',
    answer: (operation, result) => ENCODE[operation]?.(result as never, peer) ?? {},
    event: (event) => streamResponse(event, peer),
  };
}

/** The answers of the operations in ProtoJSON. What has none of its own is an empty object. */
const ENCODE: Readonly<Record<string, (result: never, peer: ProtoPeer) => Fields>> = {
  SendMessage: (result: LegacyTask | LegacyMessage, peer) => sendResponse(result, peer),
  GetTask: (task: LegacyTask, peer) => protoTask(task, peer),
  CancelTask: (task: LegacyTask, peer) => protoTask(task, peer),
  CreateTaskPushNotificationConfig: (config: LegacyPushConfig) => protoPushConfig(config),
  GetTaskPushNotificationConfig: (config: LegacyPushConfig) => protoPushConfig(config),
  ListTaskPushNotificationConfigs: (configs: readonly LegacyPushConfig[]) =>
    protoPushConfigs(configs),
  GetExtendedAgentCard: (card: Fields) => card,
};
