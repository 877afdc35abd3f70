import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.js';

/** A client's message in 1.0 wire JSON. */
export function userMessage(text: string, overrides: JsonObject = {}): JsonObject {
  return {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text }],
    ...overrides,
  };
}

/** A client's message in 0.3 wire JSON. */
export function legacyUserMessage(text: string, overrides: JsonObject = {}): JsonObject {
  return {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...overrides,
  };
}

/** The texts of an artifact of a task in wire JSON (1.0 or 0.3), one per part. */
export function artifactTexts(task: JsonObject, artifactId?: string): string[] {
  const artifacts = (task['artifacts'] ?? []) as JsonObject[];
  return artifacts
    .filter((artifact) => artifactId === undefined || artifact['artifactId'] === artifactId)
    .flatMap((artifact) => (artifact['parts'] as JsonObject[]).map((part) => String(part['text'])));
}

/** `['1', …, 'count']`: what a live task's chunks must read. */
export function numbersTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}
