/** What the organizations that may use something are: null for everybody. */
export type Organizations = readonly string[] | null;

/**
 * A list of which each organization may use a part. That part is the same object each time, and one
 * object for all organizations that nothing is limited to, so that what is made of it can be kept.
 */
export class ByOrganization<T> {
  /** What everybody may use: the list itself where that is all of it. */
  private readonly open: readonly T[];
  /** The organizations that something is limited to. */
  private readonly named: ReadonlySet<string>;
  /** What such an organization may use, made when it is first asked for. */
  private readonly made = new Map<string, readonly T[]>();

  constructor(
    private readonly all: readonly T[],
    private readonly organizationsOf: (one: T) => Organizations,
  ) {
    const open = all.filter((one) => organizationsOf(one) === null);
    this.open = open.length === all.length ? all : open;
    this.named = new Set(all.flatMap((one) => organizationsOf(one) ?? []));
  }

  usable(organization: string): readonly T[] {
    if (!this.named.has(organization)) return this.open;
    let usable = this.made.get(organization);
    if (usable === undefined) {
      usable = this.all.filter((one) => isOpenTo(this.organizationsOf(one), organization));
      this.made.set(organization, usable);
    }
    return usable;
  }
}

export function isOpenTo(organizations: Organizations, organization: string): boolean {
  return organizations === null || organizations.includes(organization);
}
