/** When keys follow each other; in milliseconds. */
export interface Rotation {
  readonly rotateEveryMs: number;
  /** How long a key is published before it begins to sign and after it has ended. */
  readonly overlapMs: number;
}

/** What the schedule looks at. */
export interface ScheduledKey {
  readonly generation: number;
  readonly signsFrom: Date;
  readonly revokedAt: Date | null;
}

/**
 * `next`: published, signs later. `signing`: the one. `retired`: signs no more, still published.
 * `expired` and `revoked`: not to be trusted any more.
 */
export const KEY_STATES = ['next', 'signing', 'retired', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/**
 * The key that signs now: the latest whose time has come. Undefined when there is none, or when that
 * one is revoked: an earlier key never comes back.
 */
export function signingKey<Key extends ScheduledKey>(
  keys: readonly Key[],
  now: Date,
): Key | undefined {
  const latest = keys.filter(({ signsFrom }) => signsFrom <= now).at(-1);
  return latest?.revokedAt === null ? latest : undefined;
}

/** What a key is at this time; `keys` are all of them by generation, ascending. */
export function keyState(
  key: ScheduledKey,
  keys: readonly ScheduledKey[],
  now: Date,
  { overlapMs }: Rotation,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  const signing = signingKey(keys, now);
  if (key.generation === signing?.generation) return 'signing';
  const later = keys.filter(({ generation }) => generation > key.generation);
  const begun = later.filter(({ signsFrom }) => signsFrom <= now);
  if (begun.length === 0) return 'next';
  const ended = Math.min(...begun.map(({ signsFrom }) => signsFrom.getTime()));
  return now.getTime() < ended + overlapMs ? 'retired' : 'expired';
}

/**
 * When the key signs from that has to be made now; undefined when none has to. Without a key that
 * signs, at once. Otherwise so early that it is published for the whole overlap before its turn, however
 * late this is asked.
 */
export function dueKey(
  keys: readonly ScheduledKey[],
  now: Date,
  { rotateEveryMs, overlapMs }: Rotation,
): Date | undefined {
  const signing = signingKey(keys, now);
  if (!signing) return now;
  const successor = keys.some(
    ({ generation, revokedAt }) => generation > signing.generation && revokedAt === null,
  );
  const turn = signing.signsFrom.getTime() + rotateEveryMs;
  if (successor || now.getTime() < turn - overlapMs) return undefined;
  return new Date(Math.max(turn, now.getTime() + overlapMs));
}
