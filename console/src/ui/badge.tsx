import type { ReactNode } from 'react';

export type Tone = 'good' | 'info' | 'warning' | 'bad' | 'neutral';

/** A word with a colour; never a colour alone. */
export function Badge({
  tone = 'neutral',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  submitted: 'neutral',
  planned: 'neutral',
  queued: 'neutral',
  skipped: 'neutral',
  sending: 'info',
  working: 'info',
  'input-required': 'warning',
  'auth-required': 'warning',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  canceled: 'neutral',
  pending: 'neutral',
  retrying: 'warning',
  delivered: 'good',
  dead: 'bad',
};

/** The colour of a state of a task, a delegation or a delivery. */
export function toneOfState(state: string): Tone {
  return STATE_TONES[state] ?? 'neutral';
}

/** The state of a task, of a delegation or of a delivery. */
export function StateBadge({ state }: { readonly state: string }) {
  return <Badge tone={toneOfState(state)}>{state}</Badge>;
}
