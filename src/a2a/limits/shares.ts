import type { Principal } from '../../auth/index.js';

/** The part of the whole that is kept for those who have less than an equal share. */
const RESERVE = 0.1;

/** The most that one may have of the whole, as parts of 1. */
export interface Ceilings {
  readonly principal: number;
  readonly organization: number;
}

/** Why something was not given: all of it is taken, or this caller has its share. */
export type Refusal = 'full' | 'share';

/**
 * A thing of which a process has only so much, shared among organizations and their principals. Who is
 * alone may have all but a tenth, or what the ceilings say; the last tenth is for those who have less than an
 * equal share. Who has nothing gets what it asks for while there is that much.
 */
export class Shares {
  private total = 0;
  private readonly organizations = new Map<string, number>();
  private readonly principals = new Map<string, number>();

  constructor(
    private readonly whole: number,
    private readonly ceilings: Ceilings = { principal: 1 - RESERVE, organization: 1 - RESERVE },
  ) {}

  /** All that is taken. */
  get taken(): number {
    return this.total;
  }

  /** Takes that much for the caller; else says why not. */
  take({ id, organization }: Principal, amount: number): Refusal | undefined {
    // Larger than the whole: it has to be alone.
    if (this.total > 0 && this.total + amount > this.whole) return 'full';
    const { organizations, principals, ceilings } = this;
    const isOver =
      this.isOver(organizations, organization, amount, ceilings.organization) ||
      this.isOver(principals, id, amount, ceilings.principal);
    if (isOver) return 'share';
    this.change(organization, id, amount);
    return undefined;
  }

  /** What the caller has of it. */
  of({ id }: Principal): number {
    return this.principals.get(id) ?? 0;
  }

  /** Counts that much for the caller, also where it is more than there is. */
  add({ id, organization }: Principal, amount: number): void {
    this.change(organization, id, amount);
  }

  /** Whether the caller has anything of it. */
  has({ id }: Principal): boolean {
    return this.principals.has(id);
  }

  give({ id, organization }: Principal, amount: number): void {
    this.change(organization, id, -amount);
  }

  private isOver(
    holders: ReadonlyMap<string, number>,
    holder: string,
    amount: number,
    ceiling: number,
  ): boolean {
    const own = holders.get(holder) ?? 0;
    if (own === 0) return false;
    if (own + amount > this.whole * ceiling) return true;
    const isScarce = this.total + amount > this.whole * (1 - RESERVE);
    return isScarce && own + amount > this.whole / holders.size;
  }

  private change(organization: string, principal: string, amount: number): void {
    this.total += amount;
    change(this.organizations, organization, amount);
    change(this.principals, principal, amount);
  }
}

function change(holders: Map<string, number>, holder: string, amount: number): void {
  const held = (holders.get(holder) ?? 0) + amount;
  if (held === 0) holders.delete(holder);
  else holders.set(holder, held);
}
