import { expect, it } from '@jest/globals';
import { SubjectToken } from '../../src/auth/index.js';
import { DAY_MS } from '../../src/common/clock.js';
import { SecretBox, SecretLockedError } from '../../src/common/secret-box.js';
import type { Database } from '../../src/database/database.js';
import { SqlTaskTokens } from '../../src/tasks/persistence/sql-task-tokens.js';
import type { DatabaseFactory } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { keyNamed } from '../support/secret-box.js';
import { change, COMPLETED, newTask, status, TaskHarness } from './task-harness.js';

/** What is promised of the access tokens that callers come with. */
export function taskTokensContract(databases: DatabaseFactory): void {
  class Process {
    readonly clock = new FakeClock();
    readonly tasks: TaskHarness;
    readonly tokens: SqlTaskTokens;

    constructor(readonly database: Database) {
      this.tasks = new TaskHarness(database, this.clock);
      this.tokens = this.openedWith('k1');
    }

    openedWith(key: string): SqlTaskTokens {
      return new SqlTaskTokens(this.database, new SecretBox([keyNamed(key)]), this.clock);
    }

    token(value: string, ms: number | null = 60_000): SubjectToken {
      const expiresAt = ms === null ? null : new Date(this.clock.now().getTime() + ms);
      return new SubjectToken(value, 'acme', expiresAt);
    }

    /** A task with a token, which is stored in the commit that makes it. */
    async begin(value = 'token-1', ms: number | null = 60_000): Promise<string> {
      const task = newTask({ keepsToken: true }, this.clock.now());
      await this.tasks.log.create(task, [this.tokens.keeping(this.token(value, ms))]);
      return task.record.id;
    }

    followUp(taskId: string, value: string): Promise<void> {
      const enlisted = [this.tokens.keeping(this.token(value))];
      return this.tasks.log.update(taskId, () => ({ ...change({ events: [] }), enlisted }));
    }

    end(taskId: string): Promise<void> {
      return this.tasks.append(taskId, status(COMPLETED, this.clock.now()));
    }

    async stored(): Promise<unknown[]> {
      return this.tasks.rows('task_tokens');
    }
  }

  const start = async (): Promise<Process> => new Process(await databases.openEmptied());

  it('is that of the last message, encrypted', async () => {
    const hub = await start();
    const id = await hub.begin();
    expect((await hub.tokens.of(id))!.reveal()).toBe('token-1');
    await hub.followUp(id, 'token-2');
    const token = (await hub.tokens.of(id))!;
    expect([token.reveal(), token.issuerId]).toEqual(['token-2', 'acme']);
    expect(await hub.stored()).toHaveLength(1);
    expect(JSON.stringify(await hub.stored())).not.toContain('token-2');
    expect(await hub.tokens.of('another')).toBeUndefined();
  });

  it('cannot be read without its key, and is not lost', async () => {
    const hub = await start();
    const id = await hub.begin();
    await expect(hub.openedWith('k2').of(id)).rejects.toThrow(SecretLockedError);
    expect(await hub.tokens.of(id)).toBeDefined();
  });

  it('is gone when it has expired', async () => {
    const hub = await start();
    const [short, long] = [await hub.begin('a', 1000), await hub.begin('b', null)];
    expect(await hub.tokens.forget(10)).toBe(0);
    await hub.clock.advance(1000);
    expect(await hub.tokens.of(short)).toBeUndefined();
    expect(await hub.tokens.of(long)).toBeDefined();
    expect(await hub.tokens.forget(10)).toBe(1);
    expect(await hub.stored()).toHaveLength(1);
    await hub.clock.advance(DAY_MS);
    expect(await hub.tokens.of(long)).toBeUndefined();
  });

  it('is deleted in the commit that ends its task', async () => {
    const hub = await start();
    const [id, other] = [await hub.begin(), await hub.begin()];
    await hub.end(id);
    expect(await hub.stored()).toMatchObject([{ task_id: other }]);
    expect(await hub.tokens.forget(10)).toBe(0);
  });

  it('stays while an agent of the ended task is still to be told of its cancel', async () => {
    const hub = await start();
    const id = await hub.begin();
    const { delegations } = await hub.tasks.load(id);
    await hub.tasks.log.update(id, () =>
      change({
        events: [status(COMPLETED, hub.clock.now())],
        delegations: [{ id: delegations[0]!.id, state: 'canceled', cancelPending: true }],
      }),
    );
    expect(await hub.tokens.forget(10)).toBe(0);
    expect(await hub.tokens.of(id)).toBeDefined();
    await hub.database.write((tx) => tx.run('UPDATE delegations SET cancel_pending = 0'));
    expect(await hub.tokens.forget(10)).toBe(1);
  });

  it('goes with its task', async () => {
    const hub = await start();
    const id = await hub.begin();
    const { delegations } = await hub.tasks.load(id);
    await hub.tasks.log.update(id, () =>
      change({
        events: [status(COMPLETED, hub.clock.now())],
        delegations: [{ id: delegations[0]!.id, state: 'canceled', cancelPending: true }],
      }),
    );
    expect(await hub.tasks.store.deleteTask(id, hub.clock.now(), true)).toBe('deleted');
    expect(await hub.stored()).toEqual([]);
  });

  it('is deleted when its task is not there, and a few at a time', async () => {
    const hub = await start();
    for (let i = 0; i < 3; i++) await hub.begin();
    await hub.database.write(function* (tx) {
      yield* tx.run('DELETE FROM delegations');
      yield* tx.run('DELETE FROM tasks');
    });
    expect([await hub.tokens.forget(2), await hub.tokens.forget(2)]).toEqual([2, 1]);
  });
}
