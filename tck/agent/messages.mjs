// Short ways to say protocol values in the SDK's types.
import { randomUUID } from 'node:crypto';
import { Role } from '@a2a-js/sdk';

export const textPart = (text) => part({ $case: 'text', value: text });

export const dataPart = (data) => part({ $case: 'data', value: data });

/** A file given by its bytes. */
export const filePart = (bytes, filename, mediaType) =>
  part({ $case: 'raw', value: bytes }, filename, mediaType);

/** A file given by its address. */
export const fileUrlPart = (url, filename, mediaType) =>
  part({ $case: 'url', value: url }, filename, mediaType);

function part(content, filename = '', mediaType = '') {
  return { content, metadata: undefined, filename, mediaType };
}

export function agentMessage({ taskId, contextId }, text) {
  return {
    role: Role.ROLE_AGENT,
    messageId: randomUUID(),
    taskId,
    contextId,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function status(state, message) {
  return { state, message, timestamp: new Date().toISOString() };
}
