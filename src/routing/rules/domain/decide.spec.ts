import { describe, expect, it } from '@jest/globals';
import { AgentIndex } from '../../domain/agent-index.js';
import { aRoutableAgent, aSkill } from '../../domain/fake-question.js';
import type { PassedOver } from '../../domain/rule-decision.js';
import { decide } from './decide.js';
import { aQuestion, aRule } from './fake-rules.js';
import { outcomesOf } from './outcomes.js';
import { RuleSet } from './rule-set.js';

describe('a rule that leads to an agent which the caller may use by single skills only', () => {
  const usable = () =>
    AgentIndex.of([
      aRoutableAgent('a', [aSkill('sum')], { bySkillOnly: true }),
      aRoutableAgent('b', [aSkill('draw')]),
    ]);
  const why = 'the agent "a" is available for single skills only';

  it('is passed over', () => {
    const set = new RuleSet([
      aRule('first', { target: { agentId: 'a' } }),
      aRule('second', { target: { agentId: 'b' } }),
    ]);
    const passed: PassedOver[] = [];
    const question = aQuestion({ passOver: (each) => passed.push(each) });
    expect(decide(set, question, usable)).toMatchObject({
      rule: { id: 'second' },
      target: { to: { agentId: 'b' } },
    });
    expect(passed).toEqual([
      {
        rule: { id: 'first', name: 'first', why: `Rule "first" (no. 1) applies, but ${why}.` },
        to: { agentId: 'a' },
      },
    ]);
    expect(outcomesOf(set, question, usable)).toMatchObject([
      { outcome: 'passed-over', why: `It applies, but ${why}.` },
      { outcome: 'decides' },
    ]);
  });

  it('decides where it names such a skill', () => {
    const set = new RuleSet([aRule('first', { target: { skillId: 'a.sum' } })]);
    expect(decide(set, aQuestion(), usable)).toMatchObject({ rule: { id: 'first' } });
  });
});
