import { Injectable } from '@nestjs/common';
import { type Principal, hasScope } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { issueCursor, readCursor } from '../../common/cursor.js';
import { Egress } from '../../common/egress/egress.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import type { Page } from '../../common/page.js';
import { SecretBox, SecretLockedError } from '../../common/secret-box.js';
import { storedReference } from '../../common/secret-references/referred-secret.js';
import { readReference } from '../../common/secret-references/secret-reference.js';
import {
  type ReferenceView,
  SecretReferences,
} from '../../common/secret-references/secret-references.js';
import { isUuid } from '../../common/uuid.js';
import { AppConfig } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { NEW_SECRET_BYTES } from './domain/standard-webhooks.js';
import { AuthProfileStore, type ProfileAudience } from './auth-profile-store.js';
import type {
  CreateAuthProfileDto,
  PatchAuthProfileDto,
  RotateAuthProfileDto,
} from './auth-profile.dto.js';
import type { AuthProfile } from './auth-profile.js';
import type { ProfileParameters } from './profile-parameters.dto.js';
import { checkParameters, checkSecret, checkUrls } from './profile-rules.js';
import type { GivenParameters } from './schemes/scheme.js';
import { PARAMETERS, type ProfileSchemeName, profileScheme } from './schemes/schemes.js';
import { KnownProfiles } from './known-profiles.js';

const NO_SECRET =
  'A jwt profile has no secret of its own; rotate the keys of the hub (POST /api/v1/signing-keys).';

/** A profile after its secret was set; the secret itself when the hub made one that a receiver needs. */
export interface IssuedProfile {
  readonly profile: AuthProfile;
  readonly issuedSecret: string | null;
}

/** The members of a profile that belong to one secret. */
type SecretPart = Pick<AuthProfile, 'sealedSecret' | 'fingerprint' | 'secretSince'>;

/**
 * The auth profiles as the admin API knows them. Callers with the scope `push` see those of their
 * organization and those for every one; only operators make and change them, because whoever can turn a
 * profile to another address gets its secret.
 */
@Injectable()
export class AuthProfilesService {
  constructor(
    private readonly store: AuthProfileStore,
    private readonly known: KnownProfiles,
    private readonly egress: Egress,
    private readonly secrets: SecretBox,
    private readonly settings: HubSettings,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly references: SecretReferences,
  ) {}

  /** Rejects with INVALID_PARAMS naming each field at fault, with CONFLICT when the name is taken. */
  async create(requested: CreateAuthProfileDto, caller: Principal): Promise<IssuedProfile> {
    const { name, scheme, urls, organization = caller.organization } = requested;
    const parameters = givenPart(requested);
    checkUrls(scheme, urls);
    checkParameters(scheme, parameters);
    await this.checkTokenUrl(parameters.tokenUrl);
    const now = this.clock.now();
    const referred = await this.referred(scheme, requested);
    if (referred === undefined) checkSecret(scheme, requested.secret, parameters, now);
    const secret = referred ?? requested.secret ?? this.madeSecret(scheme);
    const profile: AuthProfile = {
      id: this.ids.next(),
      organization,
      name,
      scheme,
      urls,
      automatic: requested.automatic ?? false,
      parameters: { ...parameters, ...publicPart(scheme, secret) },
      ...(await this.secretPart(secret, now)),
      sealedPrevious: null,
      previousFingerprint: null,
      previousUntil: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    await this.store.add(profile);
    await this.known.follow();
    return { profile, issuedSecret: issuedOf(scheme, referred ?? requested.secret, secret) };
  }

  async list(
    caller: Principal,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<AuthProfile>> {
    const after = cursor === undefined ? undefined : readCursor('auth-profiles', cursor, isUuid);
    const { items, nextCursor } = await this.store.list(audienceOf(caller), limit, after);
    return {
      items,
      nextCursor: nextCursor === null ? null : issueCursor('auth-profiles', nextCursor),
    };
  }

  /** Rejects with NOT_FOUND, also for those of other organizations. */
  async get(id: string, caller: Principal): Promise<AuthProfile> {
    return (await this.store.get(id, audienceOf(caller))) ?? notFound(id);
  }

  /** Changes addresses and parameters. Rejects as {@link create} does, and with NOT_FOUND. */
  async patch(id: string, requested: PatchAuthProfileDto): Promise<AuthProfile> {
    await this.checkTokenUrl(requested.tokenUrl ?? undefined);
    const changed = await this.store.update(id, (current) => {
      const urls = requested.urls ?? current.urls;
      const parameters = withChanges(current.parameters, requested);
      checkUrls(current.scheme, urls);
      checkParameters(current.scheme, parameters);
      const automatic = requested.automatic ?? current.automatic;
      return { ...current, urls, automatic, parameters, updatedAt: this.clock.now() };
    });
    await this.known.follow();
    return changed ?? notFound(id);
  }

  /**
   * Sets another secret. With hmac and ed25519 the one before signs as well for the overlap; with the
   * other schemes the new one counts at once. Rejects with INVALID_PARAMS and NOT_FOUND.
   */
  async rotate(id: string, requested: RotateAuthProfileDto): Promise<IssuedProfile> {
    const { scheme } = (await this.store.get(id, 'everybody')) ?? notFound(id);
    if (profileScheme(scheme).secret === null) throw new HubError('CONFLICT', NO_SECRET);
    const overlapMs = this.overlapMs(scheme, requested.overlapSeconds);
    const now = this.clock.now();
    const referred = await this.referred(scheme, requested);
    const secret = referred ?? requested.secret ?? this.madeSecret(scheme);
    const part = await this.secretPart(secret, now);
    const { certificate } = requested;
    const changed = await this.store.update(id, (current) => {
      const given = {
        ...givenPart(current.parameters),
        ...(certificate === undefined ? {} : { certificate }),
      };
      checkParameters(scheme, given);
      if (referred === undefined) checkSecret(scheme, requested.secret, given, now);
      const parameters = { ...given, ...publicKeys(current, secret, overlapMs) };
      return {
        ...current,
        ...previousPart(current, overlapMs, now),
        ...part,
        parameters,
        updatedAt: now,
      };
    });
    await this.known.follow();
    return {
      profile: changed ?? notFound(id),
      issuedSecret: issuedOf(scheme, referred ?? requested.secret, secret),
    };
  }

  /** Rejects with CONFLICT saying how many webhooks name it, unless `force`, and with NOT_FOUND. */
  async remove(id: string, force: boolean): Promise<void> {
    const { removed, uses } = (await this.store.remove(id, force)) ?? notFound(id);
    if (!removed) {
      throw new HubError(
        'CONFLICT',
        `${uses} webhooks name this auth profile. With ?force=true it is deleted all the same, and what they still have to send becomes dead letters.`,
        { metadata: { webhooks: String(uses) } },
      );
    }
    await this.known.follow();
  }

  private async checkTokenUrl(tokenUrl: string | undefined): Promise<void> {
    if (tokenUrl === undefined) return;
    try {
      await this.egress.check(tokenUrl);
    } catch (error) {
      if (error instanceof HubError) throw invalidField('tokenUrl', error.message);
      throw error;
    }
  }

  private overlapMs(scheme: ProfileSchemeName, requested: number | undefined): number {
    if (profileScheme(scheme).secret?.overlaps) {
      return requested === undefined ? this.config.push.rotationOverlapMs : requested * 1000;
    }
    if (requested !== undefined && requested > 0) {
      throw invalidField(
        'overlapSeconds',
        `is not for the scheme ${scheme}, which sends one secret`,
      );
    }
    return 0;
  }

  /** What the secret of a profile refers to, as its view tells; undefined when it is kept here. */
  referenceOf({ sealedSecret }: AuthProfile): ReferenceView | undefined {
    try {
      return sealedSecret === null
        ? undefined
        : this.references.view(this.secrets.open(sealedSecret));
    } catch (error) {
      if (error instanceof SecretLockedError) return undefined;
      throw error;
    }
  }

  /** What is stored for a secret that is kept elsewhere. Only who administers all profiles sets one. */
  private async referred(
    scheme: ProfileSchemeName,
    { secret, secretRef }: Pick<RotateAuthProfileDto, 'secret' | 'secretRef'>,
  ): Promise<string | undefined> {
    if (secretRef === undefined) return undefined;
    if (secret !== undefined) throw invalidField('secretRef', 'and secret are not given together');
    const rules = profileScheme(scheme);
    // Of these the hub has to know at once what receivers verify with.
    const isReferable = rules.secret !== null && !rules.secret.publicKey && !rules.check;
    if (!isReferable) throw invalidField('secretRef', `is not for the scheme ${scheme}`);
    const stored = readStored(secretRef);
    const refusal = await this.references.refusalOf(stored);
    if (refusal !== undefined) throw invalidField('secretRef', refusal);
    return stored;
  }

  private async secretPart(secret: string | null, now: Date): Promise<SecretPart> {
    if (secret === null) return { sealedSecret: null, fingerprint: null, secretSince: null };
    return {
      sealedSecret: this.secrets.seal(secret),
      fingerprint: await this.settings.fingerprint([secret]),
      secretSince: now,
    };
  }

  private madeSecret(scheme: ProfileSchemeName): string | null {
    const make = profileScheme(scheme).secret?.make;
    return make?.(Buffer.from(this.ids.secret(NEW_SECRET_BYTES), 'base64url')) ?? null;
  }
}

function readStored(secretRef: string): string {
  const reference = readReference(secretRef);
  if (typeof reference === 'string') throw invalidField('secretRef', reference);
  return storedReference({ reference: reference.text, prefix: '', grantee: 'hub' });
}

/** Null takes a parameter away; what is not mentioned stays. */
function withChanges(
  present: ProfileParameters,
  requested: PatchAuthProfileDto,
): ProfileParameters {
  const mentioned = new Map<string, unknown>(Object.entries(requested));
  const kept = Object.entries(present).filter(([name]) => mentioned.get(name) !== null);
  return { ...Object.fromEntries(kept), ...givenPart(requested) };
}

/** The parameters that callers give, where they are neither absent nor null. */
function givenPart(
  parameters: Partial<Record<keyof GivenParameters, string | null>>,
): GivenParameters {
  const given = PARAMETERS.flatMap((name) => {
    const value = parameters[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

function publicPart(scheme: ProfileSchemeName, secret: string | null): ProfileParameters {
  const publicKeyOf = profileScheme(scheme).secret?.publicKey;
  return publicKeyOf !== undefined && secret !== null ? { publicKey: publicKeyOf(secret) } : {};
}

/** The public keys after a rotation to this secret. */
function publicKeys(
  { scheme, parameters: { publicKey } }: AuthProfile,
  secret: string | null,
  overlapMs: number,
): ProfileParameters {
  const previous =
    publicKey === undefined || overlapMs === 0 ? {} : { previousPublicKey: publicKey };
  return { ...previous, ...publicPart(scheme, secret) };
}

function previousPart(
  { sealedSecret, fingerprint }: AuthProfile,
  overlapMs: number,
  now: Date,
): Pick<AuthProfile, 'sealedPrevious' | 'previousFingerprint' | 'previousUntil'> {
  if (overlapMs === 0) {
    return { sealedPrevious: null, previousFingerprint: null, previousUntil: null };
  }
  return {
    sealedPrevious: sealedSecret,
    previousFingerprint: fingerprint,
    previousUntil: new Date(now.getTime() + overlapMs),
  };
}

/** An ed25519 key stays in the hub: receivers need its public key only. */
function issuedOf(
  scheme: ProfileSchemeName,
  given: string | undefined,
  secret: string | null,
): string | null {
  return given === undefined && profileScheme(scheme).secret?.isShared ? secret : null;
}

function audienceOf(caller: Principal): ProfileAudience {
  return hasScope(caller, 'push:all') ? 'everybody' : { organization: caller.organization };
}

function notFound(id: string): never {
  throw new HubError('NOT_FOUND', `There is no auth profile ${id}.`);
}
