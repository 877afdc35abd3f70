import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import { LegacyAppends } from './legacy-appends.js';

const UPDATE = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [] } };

/** What the SDK makes of an event: no append. */
async function* translated(...events: object[]): AsyncGenerator<StreamResponse> {
  for (const event of events) yield StreamResponse.fromJSON(event);
}

async function appendsOf(noted: unknown[], events: object[]): Promise<unknown[]> {
  const appends = new LegacyAppends();
  for (const event of noted) appends.note(event);
  const seen: unknown[] = [];
  for await (const { payload } of appends.restored(translated(...events))) {
    seen.push(payload?.$case === 'artifactUpdate' ? payload.value.append : payload?.$case);
  }
  return seen;
}

describe('append of a 0.3 event', () => {
  const events = [{ statusUpdate: {} }, { artifactUpdate: UPDATE }, { artifactUpdate: UPDATE }];

  it.each<[string, unknown[]]>([
    [
      'ProtoJSON',
      [{ statusUpdate: {} }, { artifactUpdate: {} }, { artifactUpdate: { append: true } }],
    ],
    [
      'ProtoJSON in snake_case',
      [{ status_update: {} }, { artifact_update: {} }, { artifact_update: { append: true } }],
    ],
    [
      'a decoded message',
      [
        { payload: { $case: 'statusUpdate', value: {} } },
        { payload: { $case: 'artifactUpdate', value: { append: false } } },
        { payload: { $case: 'artifactUpdate', value: { append: true } } },
      ],
    ],
  ])('is what the agent said in %s', async (_form, noted) => {
    expect(await appendsOf(noted, events)).toEqual(['statusUpdate', false, true]);
  });

  it('is false where the agent said nothing that can be read', async () => {
    expect(await appendsOf([null, 'x', { payload: 1 }], events)).toEqual([
      'statusUpdate',
      false,
      false,
    ]);
  });
});
