import { Injectable } from '@nestjs/common';
import {
  ADMIN_PRINCIPAL,
  DEFAULT_ORGANIZATION,
  hasScope,
  OrganizationsService,
  type Principal,
  PrincipalStore,
} from '../auth/index.js';
import { Clock } from '../common/clock.js';
import { readCursor } from '../common/cursor.js';
import { HubError, invalidField } from '../common/hub-error.js';
import { IdSource } from '../common/ids.js';
import { type DataOwner, ownerText } from '../common/owned-data.js';
import type { Page } from '../common/page.js';
import type { DataJob, DataJobKind, DataRequest } from './data-job.js';
import { DataJobStore } from './data-job-store.js';
import { DeletionWorker } from './deletion.worker.js';
import { OwnedKinds } from './owned-kinds.js';

/** Takes in exports and deletions of data, shows and cancels them. */
@Injectable()
export class DataJobs {
  constructor(
    private readonly store: DataJobStore,
    private readonly kinds: OwnedKinds,
    private readonly organizations: OrganizationsService,
    private readonly owners: PrincipalStore,
    private readonly worker: DeletionWorker,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /** Rejects with INVALID_PARAMS unless exactly one of the two names an owner. */
  ownerOf(organization: string | undefined, principal: string | undefined): DataOwner {
    if ((organization === undefined) === (principal === undefined)) {
      throw invalidField('organization', 'must be given, or principal, and not both');
    }
    return organization === undefined ? { principal: principal! } : { organization };
  }

  /** Throws NOT_FOUND for a principal that there is not, and for an organization that there is not and that owns nothing. */
  async export(owner: DataOwner, caller: Principal): Promise<DataJob> {
    await this.principals(owner);
    return this.add({ kind: 'export', owner, isMappingOnly: false, blocks: false }, caller);
  }

  /**
   * Throws NOT_FOUND as {@link export} does, and CONFLICT for what is being deleted already, for those whom the
   * configuration lets in, for the caller and its organization, and for the hub's own, without which nobody could
   * administer it. PERMISSION_DENIED for principals with the scope admin, by callers without it.
   */
  async delete(request: Omit<DataRequest, 'kind'>, caller: Principal): Promise<DataJob> {
    const { owner } = request;
    const isOwn =
      'organization' in owner
        ? owner.organization === caller.organization
        : owner.principal === caller.id;
    if (isOwn) {
      const text = `The key of this call is of ${ownerText(owner)}: use a key of another one.`;
      throw new HubError('CONFLICT', text);
    }
    refuseOwnOfHub(owner);
    await this.refuseAdmins(owner, caller);
    if ((await this.principals(owner)).some(({ builtIn }) => builtIn)) {
      const text = `The configuration lets callers in who are of ${ownerText(owner)}: change auth.adminKey or auth.mode first, or delete the data of its other principals.`;
      throw new HubError('CONFLICT', text);
    }
    const job = await this.add({ ...request, kind: 'deletion' }, caller);
    this.worker.wake();
    return job;
  }

  private async refuseAdmins(owner: DataOwner, caller: Principal): Promise<void> {
    if (hasScope(caller, 'admin') || !(await this.owners.scopesHeld(owner)).includes('admin'))
      return;
    const text = 'Principals with admin need a caller with the scope admin.';
    throw new HubError('PERMISSION_DENIED', text, { refusal: { scope: 'admin' } });
  }

  async get(kind: DataJobKind, id: string): Promise<DataJob> {
    return (await this.store.get(kind, id)) ?? unknown(kind, id);
  }

  list(kind: DataJobKind, limit: number, cursor?: string): Promise<Page<DataJob>> {
    const after =
      cursor === undefined ? undefined : readCursor(`data-${kind}s`, cursor, (id) => id !== '');
    return this.store.list(kind, limit, after);
  }

  /** A deletion ends at its next piece: what is deleted is gone. Throws NOT_FOUND, and CONFLICT for one that has ended. */
  async cancel(kind: DataJobKind, id: string): Promise<DataJob> {
    const { state } = await this.get(kind, id);
    if (!(await this.store.cancel(kind, id, this.clock.now()))) {
      throw new HubError('CONFLICT', `The ${kind} has ended: it is ${state}.`);
    }
    return this.get(kind, id);
  }

  private async principals(owner: DataOwner): Promise<{ readonly builtIn: boolean }[]> {
    const found: { readonly builtIn: boolean }[] = [];
    for await (const each of this.kinds.principalsOf(owner)) found.push(each);
    if (found.length === 0 && !(await this.isKnown(owner))) {
      throw new HubError('NOT_FOUND', `There is no ${ownerText(owner).replace('the ', '')}.`);
    }
    return found;
  }

  /** An organization whose own row is gone may still own others. */
  private async isKnown(owner: DataOwner): Promise<boolean> {
    if ('principal' in owner) return false;
    return (await this.organizations.exists(owner.organization)) || this.kinds.haveAny(owner);
  }

  private async add(request: DataRequest, { id, keyId }: Principal): Promise<DataJob> {
    const job: DataJob = {
      ...request,
      id: this.ids.next(),
      state: 'waiting',
      requestedBy: id,
      keyId: keyId ?? null,
      progress: {},
      ...{ error: null, receipt: null, startedAt: null, endedAt: null },
      createdAt: this.clock.now(),
    };
    await this.store.add(job);
    return job;
  }
}

function refuseOwnOfHub(owner: DataOwner): void {
  const isOrganization = 'organization' in owner;
  const isOwn = isOrganization
    ? owner.organization === DEFAULT_ORGANIZATION
    : owner.principal === ADMIN_PRINCIPAL;
  if (!isOwn) return;
  const instead = isOrganization
    ? 'delete that of its principals, one by one'
    : 'revoke its keys instead';
  throw new HubError('CONFLICT', `The data of ${ownerText(owner)} is the hub's own: ${instead}.`);
}

function unknown(kind: DataJobKind, id: string): never {
  throw new HubError('NOT_FOUND', `There is no ${kind} ${id}.`);
}
