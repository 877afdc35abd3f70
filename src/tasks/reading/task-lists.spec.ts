import { expect, it } from '@jest/globals';
import { EVERYTHING } from '../../auth/index.js';
import { TaskLists } from './task-lists.js';
import type { TaskStore } from '../store/task-store.js';

it('are there again after the secret of their page tokens could not be made: the disk was full', async () => {
  const empty = { tasks: [], next: null };
  const store = { search: () => Promise.resolve(empty) } as unknown as TaskStore;
  let isFull = true;
  const secret = (): Promise<string> =>
    isFull ? Promise.reject(new Error('full')) : Promise.resolve('secret');
  const lists = new TaskLists(store, { pageTokenSecret: secret }, { tasks: { historyLimit: 10 } });
  const list = (): Promise<unknown> => lists.search({}, EVERYTHING, 1, undefined);
  await expect(list()).rejects.toThrow('full');
  isFull = false;
  expect(await list()).toEqual({ items: [], nextCursor: null });
});
