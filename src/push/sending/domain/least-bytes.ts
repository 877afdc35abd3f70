import type { Payload } from '../../../protocol/build.js';
import type { Artifact, Message, Part } from '../../../protocol/a2a.js';

/**
 * The bytes that a body of this payload has at least, in any protocol version: what its parts hold, without
 * writing any of it out. Names, metadata and the JSON around them come besides.
 */
export function leastBytes(payload: Payload): number {
  switch (payload.$case) {
    case 'task': {
      const { artifacts, history, status } = payload.value;
      return sum(artifacts, ofParts) + sum(history, ofParts) + ofParts(status?.message);
    }
    case 'statusUpdate':
      return ofParts(payload.value.status?.message);
    case 'artifactUpdate':
      return ofParts(payload.value.artifact);
    case 'message':
      return ofParts(payload.value);
  }
}

function ofParts(holder: Artifact | Message | undefined): number {
  return holder ? sum(holder.parts, ofPart) : 0;
}

function ofPart({ content }: Part): number {
  switch (content?.$case) {
    case 'text':
    case 'url':
      return Buffer.byteLength(content.value);
    case 'raw':
      return 4 * Math.ceil(content.value.length / 3);
    case 'data':
      return ofJson(content.value);
    case undefined:
      return 0;
  }
}

/** The texts and names in it; numbers and punctuation count as nothing. */
function ofJson(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return sum(value, ofJson);
  return sum(Object.entries(value), ([name, member]) => Buffer.byteLength(name) + ofJson(member));
}

function sum<T>(items: readonly T[], bytesOf: (item: T) => number): number {
  return items.reduce((total, item) => total + bytesOf(item), 0);
}
