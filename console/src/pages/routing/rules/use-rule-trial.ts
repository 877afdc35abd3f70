import { useMay } from '../../../api/me';
import { dryRun, type DryRunAnswer, type RuleReport } from '../dry-run/dry-run';
import { faultsOfForm, useDraftCheck } from '../use-draft-check';
import type { RuleDraft } from './rule-draft';

/** The message that a rule is tried with. */
export interface TrialMessage {
  readonly text: string;
  readonly organization: string;
}

export interface Trial {
  /** What would become of the message; null while the rule is wrong. */
  readonly answer: DryRunAnswer | null;
  /** What becomes of this rule for the message. */
  readonly report: RuleReport | null;
  readonly isPending: boolean;
  /** Why it could not be tried. */
  readonly error: unknown;
}

/** Tries an unsaved rule while it is typed, by a dry run of a message with it among the others; not before there is a message. */
export function useRuleTrial(draft: RuleDraft, message: TrialMessage, hasBegun: boolean): Trial {
  const enabled = useMay('a2a') && hasBegun && hasText(message);
  const trial = useDraftCheck('rule-trial', { draft, message }, tried, enabled);
  const answer = (enabled && trial.answer) || null;
  return { ...trial, answer, report: reportOf(draft, answer?.rules) };
}

/** Whether there is a message to try a rule with. */
export function hasText({ text }: TrialMessage): boolean {
  return text.trim() !== '';
}

interface Tried {
  readonly draft: RuleDraft;
  readonly message: TrialMessage;
}

/** Null without a message, and when the rule cannot be tried as it is: what is wrong with it is told by the check. */
async function tried({ draft, message }: Tried, signal: AbortSignal): Promise<DryRunAnswer | null> {
  const { text, organization } = message;
  // What has settled may be older than what is typed.
  if (!hasText(message)) return null;
  try {
    return await dryRun(
      {
        message: { parts: [{ text }] },
        rule: draft as never,
        ...(organization && { caller: { organization } }),
      },
      signal,
    );
  } catch (thrown) {
    const isOfRule = faultsOfForm(thrown).every(({ field }) => /^rule(\.|$)/.test(field));
    if (!isOfRule) throw thrown;
    return null;
  }
}

function reportOf({ id, name }: RuleDraft, reports: readonly RuleReport[] = []): RuleReport | null {
  return (
    reports.find((report) => report.id === id) ??
    reports.findLast((report) => report.name === name) ??
    null
  );
}
