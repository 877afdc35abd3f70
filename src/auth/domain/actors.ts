import { isRecord } from '../../common/is-record.js';
import { TokenRefused } from './caller-claims.js';

/** Somebody as an identity provider names them: the issuer, and its name for the subject. */
export interface NamedParty {
  readonly iss: string;
  readonly sub: string;
}

/** Through whom a call comes that is not made by its principal itself. */
export interface CallerChain {
  /** Who acts for the principal, the last one first (RFC 8693 §4.1). */
  readonly actors: readonly NamedParty[];
  /** The hub that called: its principal here. */
  readonly hub?: string;
  /** Whom that hub says its own caller is for an identity provider. */
  readonly subject?: NamedParty;
}

/** Actors of one call. */
export const MAX_ACTORS = 8;
/** Characters of all of them together: they go on in a header. */
const MAX_CHARACTERS = 2048;
/** Printable, and no part of a pair, as subjects are. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/**
 * Those that a claim `act` names, the last one first. One that names no issuer is of `issuer`, who signed the token; members that name nobody are left
 * out. Throws {@link TokenRefused} when the claim is of another form, or holds too many or too long names.
 */
export function actorsOf(act: unknown, issuer: string): readonly NamedParty[] {
  const actors: NamedParty[] = [];
  let characters = 0;
  for (let claim = act; claim !== undefined;) {
    if (actors.length === MAX_ACTORS) throw refused(`names more than ${MAX_ACTORS} actors`);
    const actor = partyOf(claim, issuer);
    if (actor === undefined) throw refused('names an actor without a subject (sub)');
    characters += actor.iss.length + actor.sub.length;
    if (characters > MAX_CHARACTERS) throw refused('is too long');
    actors.push(actor);
    claim = (claim as Record<string, unknown>)['act'];
  }
  return actors;
}

/** A claim with `sub` and perhaps `iss`; undefined when it is of another form. */
export function partyOf(claim: unknown, issuer?: string): NamedParty | undefined {
  if (!isRecord(claim)) return undefined;
  const { iss = issuer, sub } = claim;
  const isNamed = typeof iss === 'string' && NAME.test(iss) && typeof sub === 'string';
  return isNamed && NAME.test(sub) ? { iss, sub } : undefined;
}

/** A claim `act` for what the hub signs: it acts itself, for those before it. */
export function actClaim(hub: string, before: readonly NamedParty[]): object {
  const nested = before.reduceRight<object | undefined>(
    (act, { iss, sub }) => ({ iss, sub, ...(act && { act }) }),
    undefined,
  );
  return { sub: hub, ...(nested && { act: nested }) };
}

function refused(why: string): TokenRefused {
  return new TokenRefused(`The claim act of the token ${why}.`, 'wrong-actors');
}
