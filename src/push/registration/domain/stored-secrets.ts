/** What a webhook keeps for its receiver alone; whatever is sealed is there when it is not null. */
export interface StoredSecrets {
  /** Organization and origin. */
  readonly endpoint: string;
  readonly sealedCredentials: string | null;
  readonly sealedToken: string | null;
  readonly sealedSigningKeys: string | null;
}

export type SecretField = 'authentication' | 'token' | 'signingKeys';

/**
 * The secrets that a change would carry to another origin because it does not mention them. Who may
 * move a webhook need not be who gave its secrets, so moving it must not be a way to read them. Members
 * of `change` that are undefined stay as they are.
 */
export function carriedElsewhere(
  present: StoredSecrets,
  change: Partial<StoredSecrets>,
): readonly SecretField[] {
  if (change.endpoint === undefined || change.endpoint === present.endpoint) return [];
  const stays = (member: Exclude<keyof StoredSecrets, 'endpoint'>): boolean =>
    present[member] !== null && change[member] === undefined;
  const fields: SecretField[] = [];
  if (stays('sealedCredentials')) fields.push('authentication');
  if (stays('sealedToken')) fields.push('token');
  if (stays('sealedSigningKeys')) fields.push('signingKeys');
  return fields;
}
