import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Agent } from '../../agents/index.js';
import { type Artifact, Part } from '../../protocol/a2a.js';
import { textPart } from '../../protocol/build.js';
import { artifact } from '../domain/fake-events.js';
import { FakeTask } from '../domain/fake-task.js';
import { referencesFor } from './references.js';

const MIB = 1024 * 1024;
const ID: Pick<Agent, 'id'> = { id: 'a' };
const AGENT = ID as Agent;

afterEach(() => void jest.restoreAllMocks());

/** What an agent `a` gets for tasks that have these artifacts, those of another agent, and which of them were read whole. */
async function given(
  artifacts: readonly Artifact[],
  { attachReferences = true, taskIds = ['t1', 't2', 't3'], agentId = 'b' } = {},
) {
  const { aggregate } = new FakeTask({
    agents: [agentId],
    delegation: { downstreamTaskId: 'own' },
  });
  const { record, delegations } = aggregate;
  const wholes: string[] = [];
  const log = {
    withoutContents: () => Promise.resolve({ record, delegations }),
    read: (taskId: string) => {
      wholes.push(taskId);
      return Promise.resolve({
        ...aggregate,
        task: { ...aggregate.task, artifacts: [...artifacts] },
      });
    },
  };
  const registry = {
    registrationsOf: () => delegations.flatMap(({ agentSince }) => agentSince ?? []),
  };
  const deps = { log, registry, settings: { attachReferences } };
  return { ...(await referencesFor({ deps, agent: AGENT }, taskIds)), wholes };
}

describe('what an agent gets for referenced tasks', () => {
  it('is known without their contents, but for what is attached', async () => {
    const artifacts = [artifact('x', 'hello')];
    const unattached = await given(artifacts, { attachReferences: false });
    expect(unattached).toEqual({ taskIds: [], parts: [], wholes: [] });
    const own = await given(artifacts, { agentId: 'a' });
    expect(own).toEqual({ taskIds: ['own', 'own', 'own'], parts: [], wholes: [] });
    const attached = await given(artifacts);
    expect(attached.parts).toHaveLength(3);
    expect(attached.wholes).toEqual(['t1', 't2', 't3']);
  });

  it('is not read of further tasks once nothing more can be attached', async () => {
    const { parts: around } = await given([artifact('x', 'x')], { taskIds: ['t1'] });
    const room = MIB - JSON.stringify(around.map((part) => Part.toJSON(part))).length;
    const { parts, wholes } = await given([artifact('x', 'x'.repeat(room))]);
    expect(parts).toHaveLength(1);
    expect(wholes).toEqual(['t1']);
  });

  it('is nothing of what is larger for certain, which is not written as JSON', async () => {
    const large = (value: unknown): Artifact => ({
      ...artifact('large'),
      parts: [
        { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' },
      ],
    });
    const raw = Buffer.alloc(MIB);
    const artifacts: Artifact[] = [
      artifact('text', 'x'.repeat(2 * MIB)),
      {
        ...artifact('many'),
        parts: Array.from({ length: 3 }, () => textPart('y'.repeat(MIB / 2))),
      },
      {
        ...artifact('bytes'),
        parts: [
          {
            content: { $case: 'raw', value: raw },
            metadata: undefined,
            filename: '',
            mediaType: '',
          },
        ],
      },
      large({ deep: [{ text: 'z'.repeat(2 * MIB) }] }),
      large(Array.from({ length: 2 * MIB }, () => 1)),
      large({ ['n'.repeat(2 * MIB)]: null }),
      artifact('small', 'small'),
    ];
    const stringify = jest.spyOn(JSON, 'stringify');
    const { parts } = await given(artifacts, { taskIds: ['t1'] });
    const written = stringify.mock.results.map(({ value }) => String(value).length);
    expect(parts.map(({ content }) => content?.value)).toEqual(['small']);
    expect(written).toHaveLength(1);
  });

  it('is what fits, however it is escaped, and each artifact whole', async () => {
    const artifacts = [
      artifact('escaped', '\u0001'.repeat(MIB / 4)),
      artifact('fits', '\n'.repeat(MIB / 4)),
      artifact('over', 'x'.repeat(MIB / 2)),
      artifact('too', 'x'.repeat(MIB / 4)),
    ];
    const { parts } = await given(artifacts, { taskIds: ['t1'] });
    const lengths = parts.map(({ content }) => String(content?.value).length);
    expect(lengths).toEqual([MIB / 4, MIB / 4]);
  });
});
