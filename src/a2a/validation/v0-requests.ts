import { MAX_NAMED, MAX_PARTS } from '../../protocol/request-limits.js';
import { type Member, type Shape, listOf, object, oneOf, optional, required } from './shape.js';
import {
  base64,
  count,
  enumeration,
  flag,
  freeObject,
  freeObjectOrArray,
  id,
  idOrEmpty,
  messageIds,
  messageLists,
  name,
  nonEmptyText,
  text,
} from './values.js';

// What the requests of A2A 0.3 and 0.2.5 must look like (types.ts of those versions).

const metadata: Member = optional(freeObject);

const file = object(
  {
    bytes: optional(base64),
    uri: optional(nonEmptyText),
    name: optional(name),
    mimeType: optional(name),
  },
  (read) =>
    (read('bytes') === undefined) === (read('uri') === undefined)
      ? [{ field: '', description: 'must hold exactly one of bytes, uri' }]
      : undefined,
);

const part = oneOf('kind', {
  text: object({ text: required(text), metadata }),
  file: object({ file: required(file), metadata }),
  data: object({ data: required(freeObjectOrArray), metadata }),
});

const message = object({
  kind: optional(enumeration(['message'])),
  ...messageIds,
  role: required(enumeration(['user', 'agent'])),
  parts: required(listOf(part, 1, MAX_PARTS)),
  metadata,
  ...messageLists,
});

/**
 * 0.3 names `schemes`; what an early 0.2.x client wrote instead is kept for `push` to read. The SDK gets
 * the first scheme only, all it can translate; `push` gets them all.
 */
export const authentication: Shape = object({
  schemes: optional(firstOf(nonEmptyText)),
  credentials: optional(text),
});

function firstOf(item: Shape): Shape {
  const list = listOf(item, 0, MAX_NAMED);
  return {
    check: (value) => list.check(value),
    known: (value) => (value as unknown[]).slice(0, 1),
  };
}

const pushConfig = object({
  id: optional(idOrEmpty),
  url: required(nonEmptyText),
  token: optional(text),
  authentication: optional(authentication),
});

export const messageSend: Shape = object({
  message: required(message),
  configuration: optional(
    object({
      acceptedOutputModes: optional(listOf(name, 0, MAX_NAMED)),
      blocking: optional(flag),
      historyLength: optional(count),
      pushNotificationConfig: optional(pushConfig),
    }),
  ),
  metadata,
});

export const taskQuery: Shape = object({
  id: required(id),
  historyLength: optional(count),
  metadata,
});

export const taskId: Shape = object({ id: required(id), metadata });

export const setPushConfig: Shape = object({
  taskId: required(id),
  pushNotificationConfig: required(pushConfig),
});

/** 0.2.5 names the task alone; from 0.3 on a config may be named too. */
export const getPushConfig: Shape = object({
  id: required(id),
  pushNotificationConfigId: optional(idOrEmpty),
  metadata,
});

export const deletePushConfig: Shape = object({
  id: required(id),
  pushNotificationConfigId: required(id),
  metadata,
});

export const noParams: Shape = object({});
