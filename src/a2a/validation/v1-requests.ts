import { MAX_NAMED, MAX_PARTS } from '../../protocol/request-limits.js';
import { isNullData } from '../../protocol/null-data.js';
import { type Member, type Shape, listOf, object, optional, required } from './shape.js';
import {
  base64,
  count,
  enumeration,
  flag,
  freeObject,
  freeValue,
  id,
  idOrEmpty,
  messageIds,
  messageLists,
  name,
  nonEmptyText,
  pageSize,
  taskState,
  text,
  timestamp,
} from './values.js';

// What the requests of A2A 1.0 must look like (specification/a2a.proto). `REQUIRED` fields must be
// there, and required arrays hold at least one item (A2A §5.7).

const tenant: Member = optional(idOrEmpty);
const metadata: Member = optional(freeObject);

const CONTENT = ['text', 'raw', 'url', 'data'] as const;

const part = object(
  {
    text: optional(text),
    raw: optional(base64),
    url: optional(nonEmptyText),
    data: optional(freeValue),
    filename: optional(name),
    mediaType: optional(name),
    metadata,
  },
  (read, written) => {
    const held = CONTENT.filter((name) => read(name) !== undefined);
    return held.length === 1 || (held.length === 0 && isNullData(written))
      ? undefined
      : [{ field: '', description: `must hold exactly one of ${CONTENT.join(', ')}` }];
  },
);

const message = object({
  ...messageIds,
  role: required(enumeration(['ROLE_USER', 'ROLE_AGENT'])),
  parts: required(listOf(part, 1, MAX_PARTS)),
  metadata,
  ...messageLists,
});

const pushFields = {
  tenant,
  id: optional(idOrEmpty),
  url: required(nonEmptyText),
  token: optional(text),
  authentication: optional(object({ scheme: required(nonEmptyText), credentials: optional(text) })),
};

export const sendMessage: Shape = object({
  tenant,
  message: required(message),
  configuration: optional(
    object({
      acceptedOutputModes: optional(listOf(name, 0, MAX_NAMED)),
      taskPushNotificationConfig: optional(object({ ...pushFields, taskId: optional(idOrEmpty) })),
      historyLength: optional(count),
      returnImmediately: optional(flag),
    }),
  ),
  metadata,
});

export const getTask: Shape = object({ tenant, id: required(id), historyLength: optional(count) });

export const listTasks: Shape = object({
  tenant,
  contextId: optional(idOrEmpty),
  status: optional(taskState),
  pageSize: optional(pageSize),
  pageToken: optional(text),
  historyLength: optional(count),
  statusTimestampAfter: optional(timestamp),
  includeArtifacts: optional(flag),
});

export const cancelTask: Shape = object({ tenant, id: required(id), metadata });

export const subscribeToTask: Shape = object({ tenant, id: required(id) });

export const createPushConfig: Shape = object({ ...pushFields, taskId: required(id) });

export const pushConfigById: Shape = object({ tenant, taskId: required(id), id: required(id) });

export const listPushConfigs: Shape = object({
  tenant,
  taskId: required(id),
  pageSize: optional(pageSize),
  pageToken: optional(text),
});

export const getExtendedCard: Shape = object({ tenant });
