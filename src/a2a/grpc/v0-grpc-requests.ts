import type { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { invalidField } from '../../common/hub-error.js';
import { type ProtoPeer, pushConfigOf, sendParamsOf } from '../v0-proto-json.js';
import { checkParams } from '../validation/check-params.js';
import type { Shape } from '../validation/shape.js';
import { protoSendMessage, protoSetPushConfig } from '../validation/v0-proto-requests.js';

// Requests of the 0.3 proto as params of the 0.3 operation table. What has more than a name goes through
// the ProtoJSON of the message, in which HTTP+JSON 0.3 checks it too.

type Methods = typeof LegacyA2AService;
type Fields = Readonly<Record<string, unknown>>;

/** The request message of a method, as the SDK types it. */
export type LegacyRequest<Name extends keyof Methods> = ReturnType<
  Methods[Name]['requestDeserialize']
>;

type ProtoPart = NonNullable<LegacyRequest<'sendMessage'>['request']>['content'][number];

const TASK_NAME = /^tasks\/([^/]+)$/;
/** The last part may hold slashes: only there are they distinguishable. */
const CONFIG_NAME = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^]*)$/;

/**
 * Without `configuration` a send does not say whether to wait (`tasks.blockingDefault`). With one, `blocking`
 * decides, though a client that leaves it out looks like one that says false: proto3 has one encoding for
 * both.
 */
export function sendParams(request: LegacyRequest<'sendMessage'>, peer: ProtoPeer): Fields {
  const { request: message, configuration, metadata } = request;
  const json = {
    message: message && { ...message, content: message.content.map(partJson) },
    configuration,
    metadata,
  };
  return sendParamsOf(checked(protoSendMessage, json), peer);
}

/** `{name: "tasks/ID"}` as `{id}`. Throws INVALID_PARAMS for another name. */
export function taskParams({ name }: { readonly name: string }): Fields {
  return { id: taskIdIn('name', name) };
}

/** A history length of 0 is none: there is no other way to say so in proto3. */
export function getTaskParams({ name, historyLength }: LegacyRequest<'getTask'>): Fields {
  return { id: taskIdIn('name', name), historyLength: historyLength || undefined };
}

/** An empty config id asks for the task's first config, as in 0.2.5. */
export function configParams({ name }: { readonly name: string }): Fields {
  const match = CONFIG_NAME.exec(name);
  if (match === null) {
    throw invalidField('name', 'must be tasks/{id}/pushNotificationConfigs/{id}');
  }
  return { id: match[1], pushNotificationConfigId: match[2] };
}

/** The list comes whole, whatever the page size, so there never was a token. */
export function listConfigsParams({
  parent,
  pageToken,
}: LegacyRequest<'listTaskPushNotificationConfig'>): Fields {
  if (pageToken !== '') throw invalidField('page_token', 'must be empty: the list has one page');
  return { id: taskIdIn('parent', parent) };
}

export function createConfigParams(
  request: LegacyRequest<'createTaskPushNotificationConfig'>,
): Fields {
  const taskId = taskIdIn('parent', request.parent);
  return { taskId, pushNotificationConfig: pushConfigOf(checked(protoSetPushConfig, request)) };
}

function taskIdIn(field: string, name: string): string {
  const match = TASK_NAME.exec(name);
  if (match === null) throw invalidField(field, 'must be tasks/{id}');
  return match[1]!;
}

function checked(shape: Shape, json: unknown): Fields {
  checkParams(shape, json);
  return shape.known(json) as Fields;
}

function partJson({ part }: ProtoPart): Fields {
  switch (part?.$case) {
    case 'text':
      return { text: part.value };
    case 'data':
      return { data: { data: part.value.data ?? {} } };
    case 'file': {
      const { file, mimeType } = part.value;
      return file?.$case === 'fileWithBytes'
        ? { file: { fileWithBytes: file.value.toString('base64'), mimeType } }
        : { file: { fileWithUri: file?.value, mimeType } };
    }
    default:
      return {};
  }
}
