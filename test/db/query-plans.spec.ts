import { beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING, visibilityOf, type Visibility } from '../../src/auth/index.js';
import { SqlApiKeyStore } from '../../src/auth/persistence/sql-api-key.store.js';
import type { Database } from '../../src/database/database.js';
import { searchTaskWebhooks } from '../../src/push/webhooks/persistence/search-webhooks.js';
import type { TaskWebhookFilter } from '../../src/push/webhooks/webhook-store.js';
import { SqlAgentDelegations } from '../../src/tasks/persistence/sql-agent-delegations.js';
import { SqlContextStore } from '../../src/tasks/persistence/sql-context.store.js';
import type { Delegation } from '../../src/tasks/task.js';
import { ALICE, change, COMPLETED, status, TaskHarness } from '../contract/task-harness.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';
import { stepsOf } from '../support/query-plans.js';

/** Reads rows as many as there are tasks of an agent, a state, an owner: on the event loop, with half a million tasks, for half a second. */
const LONG = [
  /^SCAN (tasks|delegations|[td])\b/,
  /\(agent_id=\?\)$/,
  /\(state=\?\)$/,
  /\(organization=\?( AND state=\?)?\)$/,
  /\(principal_id=\?( AND organization=\?( AND state=\?)?)?\)$/,
];

// SQLite has no statistics here: which of several indexes it takes is decided by how a statement is written.
describeDatabases('Plans of statements', (databases) => {
  let database: Database;
  let hub: TaskHarness;

  beforeEach(async () => {
    database = await databases.openEmptied();
    hub = new TaskHarness(database);
  });

  const longSteps = async (reads: () => Promise<unknown>): Promise<string[]> => {
    const steps = await stepsOf(database, reads, ['tasks', 'delegations']);
    const ofRows = steps.filter((step) => /^(SEARCH|SCAN) (tasks|delegations|[td]) /.test(step));
    expect(ofRows.length).toBeGreaterThan(0);
    return ofRows.filter((step) => LONG.some((pattern) => pattern.test(step)));
  };

  it('leave out of a page what does not fit it any more', async () => {
    const { record } = await hub.create({ contextId: 'c1' });
    const read = database.read.bind(database);
    let isMoved = false;
    database.read = async (sql, params) => {
      const rows = await read(sql, params);
      if (!isMoved && sql.includes('AS fits')) {
        isMoved = true;
        await hub.log.update(record.id, () =>
          change({ events: [status(COMPLETED, hub.clock.now())] }),
        );
      }
      return rows as never;
    };
    const wanted = { states: [record.state] };
    const page = await hub.store.search(wanted, EVERYTHING, 50, null);
    expect(isMoved).toBe(true);
    expect(page.tasks).toEqual([]);
  });

  if (databases.dialect !== 'sqlite') return;

  it('take no long step to continue a context', async () => {
    const contexts = new SqlContextStore(database);
    const owner = { principalId: 'alice', organization: 'acme' };
    expect(await longSteps(() => contexts.downstream('c1', owner, 'a1', [new Date()]))).toEqual([]);
    expect(await longSteps(() => contexts.affinity('c1', owner, new Date(0)))).toEqual([]);
  });

  it('take no long step to find out whose answer a task of an agent is', async () => {
    const { delegations } = await hub.create({ agents: ['a1'] });
    const { downstream } = hub.store;
    const [delegation] = delegations as [Delegation];
    expect(await longSteps(() => downstream.held('a1', ['x', 'y', 'z']))).toEqual([]);
    expect(await longSteps(() => downstream.isAwaitedByAnother(delegation, 'm1'))).toEqual([]);
  });

  it('take no long step to read the tasks of a page that have to fit a state still', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      const { record } = await hub.create({ id: `t${n}`, contextId: 'c1' });
      await hub.append(record.id, status(COMPLETED, hub.clock.now()));
      ids.push(record.id);
    }
    const { store } = hub;
    const inContext = { contextId: 'c1', state: COMPLETED };
    const listed = await longSteps(() => store.list(inContext, visibilityOf(ALICE), 50, null));
    expect(listed).toEqual([]);
    const searched = { states: [COMPLETED], organization: 'acme' };
    const search = () => store.search(searched, EVERYTHING, 50, null);
    // The newest of a state, of which it reads no more than the page has.
    for (const step of await longSteps(search)) expect(step).toMatch(/^SEARCH t USING COVERING/);
    const { tasks } = await search();
    expect(tasks.map(({ record }) => record.id).sort()).toEqual(ids.sort());
  });

  it('take no long step to find what an agent has open', async () => {
    await hub.create({ agents: ['a1'] });
    const delegations = new SqlAgentDelegations(database);
    expect(await longSteps(() => delegations.open('a1', '', 100))).toEqual([]);
    const open = await delegations.open('a1', '', 100);
    expect(open).toHaveLength(1);
  });

  it('read no more than a credential of each organization to find out whether several have some', async () => {
    const keys = new SqlApiKeyStore(database);
    const steps = await stepsOf(database, () => keys.hasSeveralOrganizations(), ['api_keys']);
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([
      expect.stringMatching(/^SCAN o /),
    ]);
  });

  it('find the claimed delivery streams of a subscription among those that are claimed', async () => {
    const { subscriptionStreams } = new PushStores(database);
    const reconcile = () => subscriptionStreams.reconcileClaimed('s', new Date());
    const steps = await stepsOf(database, reconcile, ['push_delivery_streams']);
    expect(steps).toEqual([
      'SEARCH push_delivery_streams USING INDEX push_delivery_streams_lease (lease_until>?)',
    ]);
  });

  it('go through the paused delivery streams by their own index', async () => {
    const { retention } = new PushStores(database);
    const expire = () => retention.expireBacklog(new Date(), new Date(), 'a');
    const steps = await stepsOf(database, expire, ['push_delivery_streams']);
    expect(steps).toContain('SEARCH s USING INDEX push_delivery_streams_paused (id>?)');
  });

  it('go through what waits for receivers that have not agreed by its receiver and time', async () => {
    const { retention } = new PushStores(database);
    const place = { endpoint: 'e', stream: { dueAt: 0, id: '' } };
    const expire = () => retention.expireHeld(new Date(), new Date(), JSON.stringify(place));
    expect(await stepsOf(database, expire, ['push_delivery_streams'])).toContain(
      'SEARCH s USING INDEX push_delivery_streams_queue (endpoint=? AND due_at>? AND due_at<?)',
    );
    const next = () => retention.expireHeld(new Date(), new Date(), '');
    expect(await stepsOf(database, next, ['push_receivers'])).toEqual([
      expect.stringMatching(/^SEARCH push_receivers USING INDEX \S+ \(endpoint>\?\)$/),
    ]);
  });

  it('find webhooks of single tasks by what leads to the fewest', async () => {
    const stepsFor = (filter: TaskWebhookFilter, visibility: Visibility): Promise<string[]> =>
      stepsOf(database, () => searchTaskWebhooks(database, filter, visibility, 50, null), [
        'push_webhooks w JOIN',
      ]);
    const own = visibilityOf(ALICE);
    const organization: Visibility = { kind: 'organization', organization: 'acme' };
    const guided: [TaskWebhookFilter, Visibility, RegExp][] = [
      [{}, own, /push_webhooks_principal \(principal_id=\?\)/],
      [{ endpoint: 'https://x' }, own, /push_webhooks_principal \(principal_id=\?\)/],
      [{ principalId: 'alice' }, organization, /push_webhooks_principal \(principal_id=\?\)/],
      [{ endpoint: 'https://x' }, organization, /push_webhooks_endpoint \(endpoint=\?\)/],
      [{ state: 'paused' }, organization, /push_webhooks_state \(state=\?\)/],
      [{ taskId: 't' }, organization, /push_webhooks_task \(task_id=\?\)/],
      [{}, organization, /push_webhooks_organization \(organization=\?\)/],
    ];
    for (const [filter, visibility, index] of guided) {
      const [first] = (await stepsFor(filter, visibility)).filter((step) => / w /.test(step));
      expect(first).toMatch(index);
    }
  });
});
