/** How answers describe the name of a principal whose id they have. */
export const PRINCIPAL_NAME = {
  nullable: true,
  description: 'What people know the principal as; null without a name.',
} as const;

/** The name of a principal; null without one, and of none. */
export function nameOf(names: ReadonlyMap<string, string>, id: string | null): string | null {
  return id === null ? null : (names.get(id) ?? null);
}

/** What people know principals as: the feature that has principals says it. */
export abstract class PrincipalNames {
  /**
   * By the ids: the display name; else, of one whose id the hub has made, the name of its oldest valid key. Those without
   * either are left out.
   */
  abstract of(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
