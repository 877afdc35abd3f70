import { beforeEach, expect, it, jest } from '@jest/globals';
import type { TaskAggregate } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { chunk, clientMessage, COMPLETED, status, TaskHarness } from './task-harness.js';

const MIB = 1024 * 1024;
/** With characters of two halves, wherever the text is cut, and what JSON writes otherwise. */
const LARGE = '"😀\u0000é'.repeat((2.5 * MIB) / 6);

/** What the store promises of log entries with a large text, which is stored apart in pieces. */
export function largeTextsContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.open());
  });

  const textsOf = ({ task }: TaskAggregate): unknown[] =>
    task.artifacts.flatMap(({ parts }) =>
      parts.map(({ content }) => content?.$case === 'text' && content.value),
    );

  it('gives back what was written, to a page, a load, a list and another process', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk(LARGE, 'a', false), chunk('small', 'b', false));
    const [row] = (await hub.rows('task_events')).filter(({ text_id }) => text_id !== null);
    expect(row).toMatchObject({ task_id: record.id, body: '' });
    expect((await hub.rows('task_texts')).length).toBeGreaterThan(2);
    const other = hub.another();
    expect(textsOf(await other.load(record.id))).toEqual([LARGE, 'small']);
    const events = await other.store.events(record.id, 2, 10);
    expect(events.map(({ body }) => JSON.parse(body).artifactUpdate?.artifact.artifactId)).toEqual([
      'a',
      'b',
    ]);
    const page = await other.store.list({}, { kind: 'everything' }, 10, null);
    expect(page.tasks.map(textsOf)).toEqual([[LARGE, 'small']]);
    const stored = (await other.store.open(record.id))!;
    expect(stored.sizeSince).toBeGreaterThan(LARGE.length);
    await other.append(record.id, chunk('more', 'b'));
    expect(textsOf(await hub.load(record.id))).toEqual([LARGE, 'small', 'more']);
  });

  it('writes, stores and reads a large checkpoint in pieces, each stored with a commit of its own', async () => {
    const { record } = await hub.create();
    const text = LARGE.slice(0, 5 * Math.floor(LARGE.length / 2000));
    const writes: number[] = [];
    const write = hub.database.write.bind(hub.database);
    jest.spyOn(hub.database, 'write').mockImplementation((work, durability) =>
      write(
        (tx) =>
          work({
            ...tx,
            dialect: tx.dialect,
            all: (sql: string, params?: readonly unknown[]) => {
              writes.push(JSON.stringify(params ?? []).length);
              return tx.all(sql, params as never);
            },
            run: (sql: string, params?: readonly unknown[]) => {
              writes.push(JSON.stringify(params ?? []).length);
              return tx.run(sql, params as never);
            },
          } as typeof tx),
        durability,
      ),
    );
    const written = jest.spyOn(JSON, 'stringify');
    const read = jest.spyOn(JSON, 'parse');
    for (let n = 0; n < 250; n++) await hub.append(record.id, chunk(text, 'a', true));
    await hub.append(record.id, status(COMPLETED, hub.clock.now()));
    const again = await hub.another().load(record.id);
    const longest = [
      ...written.mock.results.map(({ value }) => String(value).length),
      ...read.mock.calls.map(([json]) => json.length),
    ].reduce((most, length) => Math.max(most, length));
    jest.restoreAllMocks();
    expect(longest).toBeLessThan(2 * MIB);
    expect(textsOf(again).join('')).toBe(text.repeat(250));
    // A piece has half a mebibyte, each character of which JSON may write with two more.
    expect(Math.max(...writes)).toBeLessThan(1.6 * MIB);
    const [checkpoint] = (await hub.rows('task_checkpoints')).slice(-1);
    expect(checkpoint).toMatchObject({ body: '', text_id: expect.any(String) });
    const stored = (await hub.another().store.open(record.id))!;
    expect(stored.eventsSince).toBe(0);
    expect(stored.checkpointSize).toBeGreaterThan(2.5 * MIB);
    expect(textsOf(await hub.another().load(record.id)).join('')).toBe(text.repeat(250));
    const after = new Date(hub.clock.now().getTime() + 1);
    const pieces = await hub.rows('task_texts');
    expect(await hub.store.forgetTexts(after, 10)).toBeGreaterThan(0);
    expect(await hub.rows('task_texts')).toEqual(pieces);
  });

  it('ends a page behind a large text by its own size', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk('first', 'a', false));
    await hub.append(record.id, chunk(LARGE, 'b', false));
    await hub.append(record.id, chunk('last', 'c', false));
    const page = await hub.store.events(record.id, 2, 10, MIB);
    expect(page.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('reads no large text before there is room for its page, and looks for no room for small ones', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk('first', 'a', false));
    await hub.append(record.id, chunk(LARGE, 'b', false));
    const read = jest.spyOn(hub.database, 'read');
    const textReads = (): number =>
      read.mock.calls.filter(([sql]) => sql.includes('task_texts')).length;
    const sizes: number[] = [];
    const page = (after: number, limit: number, isCapacity: boolean) =>
      hub.store.events(record.id, after, limit, MIB, (size) => {
        expect(textReads()).toBe(0);
        sizes.push(size);
        return isCapacity;
      });
    expect(await page(2, 1, false)).toHaveLength(1);
    expect(sizes).toEqual([]);
    expect(await page(2, 10, false)).toEqual([]);
    expect(textReads()).toBe(0);
    const events = await page(2, 10, true);
    expect(textReads()).toBeGreaterThan(2);
    const size = events.reduce((sum, { body }) => sum + body.length, 0);
    expect(sizes).toEqual([size, size]);
    // Their rows are read by one statement each.
    expect(read.mock.calls.length - textReads()).toBe(3);
    jest.restoreAllMocks();
  });

  it('stores a large message of a client apart, and finds whose it is', async () => {
    const message = clientMessage(LARGE);
    const { delegations } = await hub.create({ message });
    expect((await hub.rows('task_texts')).length).toBeGreaterThan(2);
    const [{ id, agentId, createdAt }] = delegations as [(typeof delegations)[0]];
    await hub.database.write((tx) =>
      tx.run("UPDATE delegations SET state = 'sending', claimable_at = 0"),
    );
    const isAwaited = (messageId: string): Promise<boolean> =>
      hub.store.downstream.isAwaitedByAnother({ id: 'other', agentId, createdAt }, messageId);
    expect(await isAwaited(message.messageId)).toBe(true);
    expect(await isAwaited('unknown')).toBe(false);
    expect(
      await hub.store.downstream.isAwaitedByAnother({ id, agentId, createdAt }, message.messageId),
    ).toBe(false);
  });

  it('takes no id that a client wrote into its large message for that of the message', async () => {
    const planted = { messageId: 'planted', message: { messageId: 'planted' } };
    const large = clientMessage(LARGE);
    const [text] = large.parts;
    const data = { ...text!, content: { $case: 'data' as const, value: planted } };
    const message = { ...large, parts: [data, text!] };
    const { delegations } = await hub.create({ message });
    const [{ agentId, createdAt }] = delegations as [(typeof delegations)[0]];
    await hub.database.write((tx) =>
      tx.run("UPDATE delegations SET state = 'sending', claimable_at = 0"),
    );
    const isAwaited = (messageId: string): Promise<boolean> =>
      hub.store.downstream.isAwaitedByAnother({ id: 'other', agentId, createdAt }, messageId);
    expect(await isAwaited(message.messageId)).toBe(true);
    expect(await isAwaited('planted')).toBe(false);
  });

  it('deletes the texts with their task, and leaves those of others', async () => {
    const [gone, kept] = [await hub.create(), await hub.create()];
    for (const { record } of [gone, kept]) await hub.append(record.id, chunk(LARGE, 'a', false));
    await hub.append(gone.record.id, status(COMPLETED, hub.clock.now()));
    await hub.clock.advance(1000);
    await hub.store.forgetTasks(hub.clock.now(), 10, null);
    while (await hub.store.deleteLogPiece());
    const left = new Set((await hub.rows('task_texts')).map(({ task_id }) => task_id));
    expect([...left]).toEqual([kept.record.id]);
  });

  it('keeps nothing of an append that is refused, and no trace of it in the task', async () => {
    const { record } = await hub.create();
    hub.participant.refuse.set(record.id, 1);
    const refused = hub.append(record.id, chunk(LARGE, 'a', false));
    await expect(refused).rejects.toMatchObject({ reason: 'INTERNAL' });
    expect(await hub.rows('task_texts')).toEqual([]);
    expect(textsOf(await hub.load(record.id))).toEqual([]);
  });

  it('keeps nothing of what could not be stored ahead to its end', async () => {
    const { record } = await hub.create();
    const { database } = hub;
    let writes = 0;
    const write = database.write.bind(database);
    jest.spyOn(database, 'write').mockImplementation((work, durability) => {
      writes += 1;
      return writes === 3 ? Promise.reject(new Error('no room')) : write(work, durability);
    });
    const refused = hub.append(record.id, chunk(LARGE, 'a', false));
    await expect(refused).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(writes).toBeGreaterThan(3);
    expect(await hub.rows('task_texts')).toEqual([]);
    jest.restoreAllMocks();
    await hub.append(record.id, chunk(LARGE, 'a', false));
    expect(textsOf(await hub.load(record.id))).toEqual([LARGE]);
  });

  it('loses nothing of other tasks when one of a list is deleted while its text is read', async () => {
    const ids = ['1', '2', '3'].map((n) => `task-${n}`);
    for (const id of ids) {
      await hub.create({ id });
      await hub.append(id, chunk('x'.repeat(1.1 * MIB), 'a', false));
    }
    await hub.database.write((tx) => tx.run("DELETE FROM task_texts WHERE task_id = 'task-2'"));
    const page = await hub.store.list({}, { kind: 'everything' }, 10, null);
    const read = page.tasks.map((task) => `${task.record.id}: ${textsOf(task).length}`);
    expect(read.sort()).toEqual(['task-1: 1', 'task-2: 0', 'task-3: 1']);
  });

  it('leaves a large new task to be claimed after its commit', async () => {
    const claimed: string[] = [];
    hub.log.claimNew({
      owner: 'me',
      leaseMs: 1000,
      reserve: () => true,
      release: () => undefined,
      claimed: (delegations) => claimed.push(...delegations.map(({ id }) => id)),
    });
    const small = await hub.create();
    const large = await hub.create({ message: clientMessage(LARGE) });
    expect(claimed).toEqual([small.delegations[0]!.id]);
    expect(large.delegations[0]).toMatchObject({ state: 'queued', owner: null });
  });

  it('sweeps what was stored ahead of a commit that never came, once it is old', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk(LARGE, 'a', false));
    await hub.database.write((tx) =>
      tx.run(
        `INSERT INTO task_texts (task_id, text_id, piece, at, text)
         VALUES (?, 'lost', 0, 5, 'x'), (?, 'lost', 1, 5, 'y'), ('never', 'lost-too', 0, 6, 'z')`,
        [record.id, record.id],
      ),
    );
    const names = async (): Promise<unknown[]> => [
      ...new Set((await hub.rows('task_texts')).map(({ text_id }) => text_id)),
    ];
    expect(await hub.store.forgetTexts(new Date(5), 10)).toBe(0);
    expect(await names()).toHaveLength(3);
    const after = new Date(hub.clock.now().getTime() + 1);
    expect(await hub.store.forgetTexts(after, 1)).toBe(1);
    expect(await names()).toHaveLength(2);
    expect(await hub.store.forgetTexts(after, 10)).toBe(2);
    expect(await names()).toHaveLength(1);
    expect(await hub.store.forgetTexts(after, 10)).toBe(0);
    expect(textsOf(await hub.load(record.id))).toEqual([LARGE]);
  });

  it('sweeps what was stored so after the clock was set back, too', async () => {
    const stage = (textId: string, at: number): Promise<unknown> =>
      hub.database.write((tx) =>
        tx.run(
          `INSERT INTO task_texts (task_id, text_id, piece, at, text) VALUES ('never', ?, 0, ?, 'x')`,
          [textId, at],
        ),
      );
    await stage('lost', 5000);
    expect(await hub.store.forgetTexts(new Date(6000), 10)).toBe(1);
    await stage('lost-too', 3000);
    expect(await hub.store.forgetTexts(new Date(2000), 10)).toBe(0);
    expect(await hub.store.forgetTexts(new Date(4000), 10)).toBe(1);
    expect(await hub.rows('task_texts')).toEqual([]);
  });
}
