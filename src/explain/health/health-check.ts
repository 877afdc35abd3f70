/** What the hub looks at in itself and around it. */
export const HEALTH_CHECKS = [
  'database',
  'clock',
  'disk',
  'workers',
  'tasks',
  'egress',
  'issuers',
  'agents',
  'receivers',
] as const;
export type HealthCheckName = (typeof HEALTH_CHECKS)[number];

/** `warning`: some of it is in trouble; `failing`: it serves none of its purpose now. */
export const HEALTH_CHECK_STATES = ['ok', 'warning', 'failing'] as const;
export type HealthCheckState = (typeof HEALTH_CHECK_STATES)[number];

/** One thing in trouble. */
export interface HealthTrouble {
  readonly id: string;
  /** Why, in a sentence. */
  readonly why: string;
}

/** How one of {@link HEALTH_CHECKS} stands now. */
export interface HealthFinding {
  readonly state: HealthCheckState;
  /** A sentence. */
  readonly summary: string;
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null;
  /** At most {@link MOST_TROUBLES} of what is in trouble. */
  readonly troubles: readonly HealthTrouble[];
}

/** Troubles that are named of one check. */
export const MOST_TROUBLES = 20;

/** Nothing is to be done. */
export function fine(summary: string): HealthFinding {
  return { state: 'ok', summary, advice: null, troubles: [] };
}

/** Something is to be done. */
export function wrong(
  state: Exclude<HealthCheckState, 'ok'>,
  summary: string,
  advice: string,
  troubles: readonly HealthTrouble[] = [],
): HealthFinding {
  return { state, summary, advice, troubles: troubles.slice(0, MOST_TROUBLES) };
}

/** The worst of these. */
export function worstOf(states: readonly HealthCheckState[]): HealthCheckState {
  const worst = Math.max(0, ...states.map((state) => HEALTH_CHECK_STATES.indexOf(state)));
  return HEALTH_CHECK_STATES[worst]!;
}
