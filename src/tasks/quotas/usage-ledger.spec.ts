import { describe, expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import type { Clock } from '../../common/clock.js';
import type { Limit } from '../../limits/index.js';
import { QuotaLimits, type QuotaSettings } from './quota-limits.js';
import { UsageLedger } from './usage-ledger.js';
import type { OwnedUsage } from '../store/usage-store.js';
import type { UsageOwner } from '../store/usage.js';

const OWNER = { organization: 'acme', principalId: 'alice' };
const BOB = { organization: 'acme', principalId: 'bob' };
const MIDNIGHT = Date.parse('2026-01-02T00:00:00Z');
const NONE = { openTasks: 0, tasksPerDay: 0, storedBytes: 0 };

const UNLIMITED = { openTasks: null, tasksPerDay: null, storedBytes: null };

type Settings = {
  readonly [K in keyof QuotaSettings]?: Partial<QuotaSettings[K]>;
} & { readonly limits?: readonly Partial<Limit>[] };

const SILENT = { warn: () => undefined, info: () => undefined };

function ledger(
  settings: Settings,
  stored: OwnedUsage[] = [],
  space?: number,
  /** Runs while it is asked who is stored. */
  meanwhile: () => void = () => undefined,
) {
  const clock = { now: () => new Date(MIDNIGHT - 90_000) } as Clock;
  const own = (settings.limits ?? []).map((each) => ({ ...UNLIMITED, ...each }) as Limit);
  const limits = new QuotaLimits(
    {
      quotas: {
        organization: { ...NONE, diskShare: 0, ...settings.organization },
        principal: { ...NONE, ...settings.principal },
      },
    },
    { space: space === undefined ? null : { free: space, reusable: 0, used: 0 } },
    {
      ofOrganization: (name) => own.find(({ organization }) => organization === name),
      ofPrincipal: (id) => own.find(({ principal }) => principal === id),
    },
  );
  const keyOf = ({ organization, principalId }: UsageOwner): string =>
    `${organization} ${principalId}`;
  const store = {
    read: () => Promise.resolve(stored),
    missing: (owners: readonly UsageOwner[]) => {
      meanwhile();
      const keys = new Set(stored.map(keyOf));
      return Promise.resolve(owners.filter((owner) => !keys.has(keyOf(owner))));
    },
  };
  return new UsageLedger({ onUsed: () => undefined }, store, limits, clock, SILENT);
}

function refusal(work: () => unknown): HubError {
  try {
    work();
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function begin(usage: UsageLedger, owner = OWNER, storedBytes = 0): void {
  const release = usage.reserve(owner);
  usage.committed([{ owner, openTasks: 1, begun: 1, storedBytes }]);
  release();
}

describe('UsageLedger', () => {
  it('refuses a task beyond the open tasks of a principal, and takes it when one has ended', () => {
    const usage = ledger({ principal: { openTasks: 2 } });
    begin(usage);
    begin(usage);
    const error = refusal(() => usage.reserve(OWNER));
    expect(error).toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: {
        quota: 'principal.openTasks',
        current: '2',
        limit: '2',
        retryAfterSeconds: '10',
      },
    });
    expect(error.message).toBe(
      'The quota principal.openTasks is used up: you have 2 open tasks of 2. Wait until some have ended, or cancel some.',
    );
    begin(usage, BOB);
    usage.committed([{ owner: OWNER, openTasks: -1, begun: 0, storedBytes: 0 }]);
    begin(usage);
  });

  it('counts what is about to begin, until it has or has not', () => {
    const usage = ledger({ organization: { openTasks: 2 } });
    const first = usage.reserve(OWNER);
    usage.reserve(BOB);
    expect(refusal(() => usage.reserve(OWNER)).metadata).toMatchObject({
      quota: 'organization.openTasks',
    });
    first();
    usage.reserve(BOB);
  });

  it('refuses the tasks of a day until midnight', () => {
    const usage = ledger({ organization: { tasksPerDay: 1 } });
    begin(usage);
    expect(refusal(() => usage.reserve(BOB))).toMatchObject({
      message:
        'The quota organization.tasksPerDay is used up: the organization "acme" has begun 1 tasks today of 1. It begins anew at midnight UTC.',
      metadata: { retryAfterSeconds: '90' },
    });
  });

  it('refuses tasks and messages over the stored bytes, without a time to try again', () => {
    const usage = ledger({ principal: { storedBytes: 1000 } });
    begin(usage, OWNER, 999);
    usage.checkStored(OWNER);
    usage.committed([{ owner: OWNER, openTasks: 0, begun: 0, storedBytes: 1 }]);
    for (const work of [() => usage.reserve(OWNER), () => usage.checkStored(OWNER)]) {
      const { metadata } = refusal(work);
      expect(metadata).toEqual({
        quota: 'principal.storedBytes',
        current: '1000',
        limit: '1000',
      });
    }
    usage.checkStored(BOB);
  });

  it('knows what was stored before it started', async () => {
    const usage = ledger({ principal: { openTasks: 5 } }, [
      { ...OWNER, openTasks: 5, tasksToday: 7, storedBytes: 100 },
    ]);
    await usage.read();
    await usage.read();
    expect(refusal(() => usage.reserve(OWNER)).metadata).toMatchObject({ current: '5' });
    expect(usage.total()).toEqual({ openTasks: 5, tasksToday: 7, storedBytes: 100 });
  });

  it('takes other limits for single organizations and principals', () => {
    const usage = ledger({
      principal: { openTasks: 1 },
      limits: [
        { principal: 'bob', openTasks: 0 },
        { organization: 'acme', tasksPerDay: 3 },
      ],
    });
    begin(usage, BOB);
    begin(usage, BOB);
    begin(usage);
    const { metadata } = refusal(() => usage.reserve(BOB));
    expect(metadata).toMatchObject({ quota: 'organization.tasksPerDay' });
  });

  it('gives an organization its share of the disk, and a limit of its own counts by itself', () => {
    const settings = { organization: { storedBytes: 500, diskShare: 25 } };
    const usage = ledger(settings, [], 1000);
    begin(usage, OWNER, 250);
    expect(refusal(() => usage.reserve(BOB)).metadata).toMatchObject({ limit: '250' });
    const limits = [{ organization: 'acme', storedBytes: 600 }];
    const other = ledger({ ...settings, limits }, [], 1000);
    begin(other, OWNER, 599);
    begin(other, BOB, 1);
    expect(refusal(() => other.reserve(BOB)).metadata).toMatchObject({ limit: '600' });
  });

  it('forgets owners whose usage was deleted, with their part of the organization', async () => {
    const stored = [
      { ...OWNER, openTasks: 1, tasksToday: 7, storedBytes: 100 },
      { ...BOB, openTasks: 2, tasksToday: 3, storedBytes: 50 },
      { organization: 'evil', principalId: 'eve', openTasks: 1, tasksToday: 1, storedBytes: 9 },
    ];
    const usage = ledger({ organization: { tasksPerDay: 4 } }, stored);
    await usage.read();
    expect(refusal(() => usage.reserve(BOB)).metadata).toMatchObject({ current: '10' });
    stored.splice(0, 1);
    stored.splice(1, 1);
    await usage.read();
    expect(usage.ofPrincipal(OWNER)).toEqual({ openTasks: 0, tasksToday: 0, storedBytes: 0 });
    expect(usage.ofOrganization('acme')).toEqual({ openTasks: 2, tasksToday: 3, storedBytes: 50 });
    expect(usage.total()).toEqual({ openTasks: 2, tasksToday: 3, storedBytes: 50 });
    expect(usage.organizationNames()).toEqual(['acme']);
    expect(usage.principalsOf('acme')).toEqual(['bob']);
    expect([usage.organizationOf('alice'), usage.organizationOf('bob')]).toEqual([
      undefined,
      'acme',
    ]);
    usage.reserve(BOB)();
  });

  it('keeps what is about to begin, and what began while it was asked for', async () => {
    let meanwhile: () => void = () => undefined;
    const usage = ledger({ principal: { openTasks: 1 } }, [], undefined, () => meanwhile());
    usage.checkStored(BOB);
    const release = usage.reserve(OWNER);
    meanwhile = () => begin(usage, BOB);
    await usage.read();
    expect(refusal(() => usage.reserve(OWNER)).metadata).toMatchObject({ current: '1' });
    expect(usage.ofPrincipal(BOB).openTasks).toBe(1);
    release();
    meanwhile = () => undefined;
    await usage.read();
    expect(usage.organizationNames()).toEqual([]);
    usage.reserve(OWNER)();
  });

  it('asks for all owners within two turns of fifteen reads, however many there are', async () => {
    const stored = Array.from({ length: 256 * 40 }, (_, n) => ({
      ...{ organization: `org-${n}`, principalId: `p-${n}` },
      ...{ openTasks: 1, tasksToday: 1, storedBytes: 1 },
    }));
    const asked: number[] = [];
    const usage = ledger({}, stored, undefined, () => asked.push(stored.length));
    await usage.read();
    // One alone, in a piece that is asked for last.
    stored.length -= 1;
    for (let read = 0; read < 30; read++) {
      asked.length = 0;
      await usage.read();
      // No read asks for many; one goes on where one was missing.
      expect(asked.length).toBeLessThanOrEqual(4);
    }
    expect(usage.total().openTasks).toBe(256 * 40 - 1);
  }, 30_000);

  it('asks for more owners than one piece', async () => {
    const stored = Array.from({ length: 600 }, (_, n) => ({
      ...{ organization: `org-${n % 3}`, principalId: `p-${n}` },
      ...{ openTasks: 1, tasksToday: 1, storedBytes: 1 },
    }));
    const usage = ledger({}, stored);
    await usage.read();
    expect(usage.total().openTasks).toBe(600);
    stored.length = 0;
    // The turn that was begun ends before the next one.
    for (let read = 0; read < 3; read++) await usage.read();
    expect(usage.total().openTasks).toBe(0);
    expect(usage.organizationNames()).toEqual([]);
  });
});
