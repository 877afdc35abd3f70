import type { DryRunRoute } from './dry-run';

/** What decided, in words. */
export function reasonInWords({ reason, rule }: DryRunRoute): string {
  switch (reason) {
    case 'agent':
      return 'The message names the agent.';
    case 'skill':
      return 'The message names the skill.';
    case 'tags':
      return 'The message asks for tags that skills carry.';
    case 'affinity':
      return 'Its context goes on with the agents that have worked on it.';
    case 'rule':
      return rule ? `The rule “${rule.name}” decides.` : 'A rule of the operator decides.';
    case 'text':
      return 'Its words match the skill best.';
    case 'default':
      return 'Nothing else routes it: it goes to the default agent.';
  }
}

/** How those who are chosen are asked. */
export function strategyInWords({ strategy, require, quorum, chosen, plan }: DryRunRoute): string {
  switch (strategy) {
    case 'one':
      return chosen.length === 1
        ? 'One agent is asked.'
        : `The first is asked; the other${chosen.length === 2 ? ' takes' : 's take'} over in turn while none has accepted.`;
    case 'first':
      return 'All are asked at once; the first that completes wins.';
    case 'all':
      return `All are asked at once; ${requirementInWords(require, quorum)}.`;
    case 'chain':
      return 'One after the other, each with the artifacts of the one before.';
    case 'synthesize':
      return `All are asked at once, then one makes the result; ${requirementInWords(require, quorum)}.`;
    case 'plan':
      return `A plan of ${plan?.length ?? 0} steps.`;
  }
}

function requirementInWords(require: DryRunRoute['require'], quorum: number | undefined): string {
  switch (require) {
    case 'all':
      return 'each must complete';
    case 'any':
      return 'one must complete';
    case 'quorum':
      return `${quorum} must complete`;
    case 'best-effort':
      return 'what completes counts';
  }
}
