import { describe, expect, it } from '@jest/globals';
import { checkTargets, type TargetAgent } from './check-targets.js';
import type { CompositeDefinition, WrittenStep } from './composite.js';

function agent(
  id: string,
  skills: Readonly<Record<string, readonly string[]>>,
  changes: Partial<TargetAgent> = {},
): TargetAgent {
  return {
    id,
    tags: [],
    priority: 0,
    organizations: null,
    card: {
      capabilities: undefined,
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: Object.entries(skills).map(([skill, tags]) => ({
        id: skill,
        name: skill,
        description: '',
        tags: [...tags],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      })),
    },
    ...changes,
  };
}

const AGENTS = [
  agent('extractor', { extract: ['pdf', 'Text'] }),
  agent('translator', { 'text.translate': ['text', 'french'] }),
  agent('second', { 'text.translate': ['text'], extract: ['pdf'] }, { organizations: ['acme'] }),
];

const problems = (
  step: Omit<WrittenStep, 'name'>,
  organizations: CompositeDefinition['organizations'] = null,
): string[] =>
  checkTargets({ steps: [{ name: 'a', ...step }], organizations }, AGENTS).map(
    ({ field, description }) => `${field}: ${description}`,
  );

describe('checkTargets', () => {
  it.each([
    [{ agentId: 'extractor' }],
    [{ agentId: 'extractor', skillId: 'extract' }],
    [{ agentId: 'extractor', skillId: 'extractor.extract' }],
    [{ skillId: 'extractor.extract' }],
    [{ skillId: 'text.translate' }],
    [{ skillId: 'translator.text.translate', tags: ['french'] }],
    [{ tags: ['PDF', ' text '] }],
    [{ tags: ['french', 'klingon'], match: 'any' as const }],
    [{ tags: ['text'], strategy: 'all' as const, require: 'quorum' as const, quorum: 3 }],
  ])('takes %j', (step) => {
    expect(problems(step)).toEqual([]);
  });

  it.each([
    [{ agentId: 'nobody' }, 'steps[0].agentId: "nobody" is no agent here'],
    [
      { agentId: 'extracter' },
      'steps[0].agentId: "extracter" is no agent here; near it: "extractor"',
    ],
    [
      { skillId: 'extractor.extrakt' },
      'steps[0].skillId: no agent offers the skill "extractor.extrakt"; near it: "extractor.extract"',
    ],
    [
      { agentId: 'extractor', skillId: 'text.translate' },
      'steps[0].skillId: "text.translate" is no skill of the agent "extractor"',
    ],
    [{ skillId: 'extractor.sing' }, 'steps[0].skillId: no agent offers the skill "extractor.sing"'],
    [
      { skillId: 'extract', tags: ['french'] },
      'steps[0].skillId: no agent offers the skill "extract" with the tags french',
    ],
    [
      { agentId: 'extractor', tags: ['french'] },
      'steps[0].tags: no skill of the agent "extractor" carries all of french',
    ],
    [{ tags: ['pdf', 'french'] }, 'steps[0].tags: no skill carries all of pdf, french'],
    [
      { tags: ['klingon'], match: 'any' as const },
      'steps[0].tags: no skill carries any of klingon',
    ],
    [
      { tags: ['pdf'], strategy: 'all' as const, require: 'quorum' as const, quorum: 3 },
      'steps[0].quorum: is 3, but only 2 can be asked: extractor, second',
    ],
  ])('says of %j what is missing', (step, expected) => {
    expect(problems(step)).toEqual([expected]);
  });

  it('counts only agents that some of its organizations may use', () => {
    expect(problems({ agentId: 'second' }, ['acme', 'other'])).toEqual([]);
    expect(problems({ agentId: 'second' }, ['other'])).toEqual([
      'steps[0].agentId: is only for organizations that this composite skill is not for',
    ]);
  });

  it('names every step at fault', () => {
    const steps = [
      { name: 'a', agentId: 'x' },
      { name: 'b', agentId: 'extractor' },
      { name: 'c', tags: ['y'] },
    ];
    expect(checkTargets({ steps, organizations: null }, AGENTS).map(({ field }) => field)).toEqual([
      'steps[0].agentId',
      'steps[2].tags',
    ]);
  });
});
