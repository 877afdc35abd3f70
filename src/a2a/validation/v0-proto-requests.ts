import { MAX_NAMED, MAX_PARTS } from '../../protocol/request-limits.js';
import { PROTO_ROLE } from '../v0-proto-values.js';
import { type Member, type Shape, leaf, listOf, object, optional, required } from './shape.js';
import { authentication } from './v0-requests.js';
import {
  base64,
  count,
  flag,
  freeObject,
  freeObjectOrArray,
  idOrEmpty,
  messageIds,
  messageLists,
  name,
  nonEmptyText,
  text,
} from './values.js';

// What the requests of A2A 0.3 must look like in ProtoJSON (package a2a.v1 of that version). Fields that
// the proto of 0.3.0 has not, but later clients send, are checked as the rest of 0.3 has them.

const metadata: Member = optional(freeObject);

const PART = ['text', 'file', 'data'] as const;
const FILE = ['fileWithUri', 'fileWithBytes'] as const;

const file = object(
  {
    fileWithUri: optional(text),
    fileWithBytes: optional(base64),
    mimeType: optional(name),
    name: optional(name),
  },
  (read) => {
    // An empty string is nothing in Protocol Buffers; a file may be empty all the same.
    const filled = FILE.filter((name) => (read(name) ?? '') !== '').length;
    return filled === 1 || (filled === 0 && read('fileWithBytes') !== undefined)
      ? undefined
      : [{ field: '', description: `must hold exactly one of ${FILE.join(', ')}` }];
  },
);

const part = object(
  {
    text: optional(text),
    file: optional(file),
    data: optional(object({ data: required(freeObjectOrArray) })),
    metadata,
  },
  (read) =>
    PART.filter((name) => read(name) !== undefined).length === 1
      ? undefined
      : [{ field: '', description: `must hold exactly one of ${PART.join(', ')}` }],
);

const ROLES: readonly unknown[] = Object.values(PROTO_ROLE).flatMap(({ name, number }) => [
  name,
  number,
]);
const role = leaf('ROLE_USER or ROLE_AGENT', (value) => ROLES.includes(value));

const message = object({
  ...messageIds,
  role: required(role),
  content: required(listOf(part, 1, MAX_PARTS)),
  metadata,
  ...messageLists,
});

const pushNotificationConfig = object({
  id: optional(idOrEmpty),
  url: required(nonEmptyText),
  token: optional(text),
  // As it was written: all its schemes are needed.
  authentication: optional({ ...authentication, known: (value) => value }),
});

export const protoSendMessage: Shape = object({
  message: required(message),
  configuration: optional(
    object({
      acceptedOutputModes: optional(listOf(name, 0, MAX_NAMED)),
      pushNotification: optional(pushNotificationConfig),
      historyLength: optional(count),
      blocking: optional(flag),
    }),
  ),
  metadata,
});

/** The body of the annotation `body: "config"`. */
export const protoPushConfigAlone: Shape = object({
  name: optional(text),
  pushNotificationConfig: required(pushNotificationConfig),
});

/** What that annotation leaves to the query (`parent` is in the path). */
export const protoPushConfigQuery: Shape = object({ configId: optional(idOrEmpty) });

/** The whole request, which most clients send as the body. */
export const protoSetPushConfig: Shape = object({
  parent: optional(text),
  configId: optional(idOrEmpty),
  config: required(protoPushConfigAlone),
});
