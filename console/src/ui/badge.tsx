import type { ReactNode } from 'react';

export type Tone = 'good' | 'info' | 'warning' | 'bad' | 'neutral';

/** A word with a colour; never a colour alone. */
export function Badge({
  tone = 'neutral',
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string | undefined;
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
  active: 'good',
  paused: 'neutral',
  healthy: 'good',
  untried: 'neutral',
  failing: 'warning',
  disabled: 'bad',
};

/** The colour of a state of a task, a delegation, a delivery, a webhook or a receiver. */
export function toneOfState(state: string): Tone {
  return STATE_TONES[state] ?? 'neutral';
}

/** The state of a task, a delegation, a delivery or a webhook. */
export function StateBadge({
  state,
  title,
}: {
  readonly state: string;
  readonly title?: string | undefined;
}) {
  return (
    <Badge tone={toneOfState(state)} title={title}>
      {state}
    </Badge>
  );
}
