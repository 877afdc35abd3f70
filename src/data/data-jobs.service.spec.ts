import { describe, expect, it } from '@jest/globals';
import type { OrganizationsService, PrincipalStore, Principal } from '../auth/index.js';
import { SystemIdSource } from '../common/ids.js';
import { SettableClock } from '../common/fake-settable-clock.js';
import type { DataOwner } from '../common/owned-data.js';
import type { DataJob } from './data-job.js';
import type { DataJobStore } from './data-job-store.js';
import { DataJobs } from './data-jobs.service.js';
import type { DeletionWorker } from './deletion.worker.js';
import type { OwnedKinds } from './owned-kinds.js';

const OPERATOR: Principal = {
  id: 'ops',
  organization: 'operators',
  scopes: new Set(['data']),
};

/** Jobs of a hub whose configuration lets nobody in by itself. */
function jobs(isKnown = { exists: true, haveAny: true, hasPrincipals: true }): {
  readonly service: DataJobs;
  readonly added: DataJob[];
} {
  const added: DataJob[] = [];
  const store = { add: (job: DataJob) => Promise.resolve(void added.push(job)) };
  const kinds = {
    async *principalsOf() {
      if (isKnown.hasPrincipals) yield await Promise.resolve({ builtIn: false });
    },
    haveAny: () => Promise.resolve(isKnown.haveAny),
  };
  const service = new DataJobs(
    store as unknown as DataJobStore,
    kinds as unknown as OwnedKinds,
    { exists: () => Promise.resolve(isKnown.exists) } as unknown as OrganizationsService,
    { scopesHeld: () => Promise.resolve([]) } as unknown as PrincipalStore,
    { wake: () => undefined } as unknown as DeletionWorker,
    new SettableClock(),
    new SystemIdSource(),
  );
  return { service, added };
}

const deletionOf = (owner: DataOwner) => ({ owner, isMappingOnly: false, blocks: true });

describe('a deletion', () => {
  it.each<[DataOwner, string]>([
    [{ organization: 'default' }, 'one by one'],
    [{ principal: 'admin' }, 'revoke its keys'],
  ])("is refused for the hub's own: %j", async (owner, instead) => {
    const { service, added } = jobs();
    const deletion = service.delete(deletionOf(owner), OPERATOR);
    await expect(deletion).rejects.toMatchObject({
      reason: 'CONFLICT',
      message: expect.stringContaining(instead),
    });
    expect(added).toEqual([]);
  });

  it.each<DataOwner>([{ organization: 'acme' }, { principal: 'anonymous' }])(
    'is taken in for %j',
    async (owner) => {
      const { service, added } = jobs();
      await service.delete(deletionOf(owner), OPERATOR);
      expect(added).toMatchObject([{ owner, kind: 'deletion', requestedBy: 'ops' }]);
    },
  );

  it.each([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ])(
    'and an export are taken in for an organization that is there (%s), has data (%s) or principals (%s)',
    async (exists, haveAny, hasPrincipals) => {
      const { service, added } = jobs({ exists, haveAny, hasPrincipals });
      await service.delete(deletionOf({ organization: 'acme' }), OPERATOR);
      await service.export({ organization: 'acme' }, OPERATOR);
      expect(added).toHaveLength(2);
    },
  );

  it.each<[DataOwner, string]>([
    [{ organization: 'nix' }, 'There is no organization nix.'],
    [{ principal: 'nix' }, 'There is no principal nix.'],
  ])('and an export are refused for what is not there: %j', async (owner, message) => {
    const { service, added } = jobs({ exists: false, haveAny: false, hasPrincipals: false });
    const refused = { reason: 'NOT_FOUND', message };
    await expect(service.delete(deletionOf(owner), OPERATOR)).rejects.toMatchObject(refused);
    await expect(service.export(owner, OPERATOR)).rejects.toMatchObject(refused);
    expect(added).toEqual([]);
  });
});
