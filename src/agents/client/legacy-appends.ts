import type { StreamResponse } from '../../protocol/a2a.js';

/**
 * Puts `append` back into the events of one stream of 0.3 over HTTP+JSON or gRPC: the SDK leaves it out
 * when it translates an artifact update from those shapes, and every chunk would replace the one before.
 * Each event that was noted comes out as one event, in the same order.
 */
export class LegacyAppends {
  private readonly noted: boolean[] = [];

  /** Notes an event of the agent before the SDK reads it: ProtoJSON, or as the gRPC service decodes it. */
  note(event: unknown): void {
    this.noted.push(isAppending(event));
  }

  async *restored(
    events: AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of events) {
      const append = this.noted.shift() ?? false;
      if (event.payload?.$case === 'artifactUpdate') event.payload.value.append = append;
      yield event;
    }
  }
}

function isAppending(event: unknown): boolean {
  if (!isObject(event)) return false;
  const update = isObject(event['payload'])
    ? event['payload']['value']
    : (event['artifactUpdate'] ?? event['artifact_update']);
  return isObject(update) && update['append'] === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
