import { describe } from '@jest/globals';
import { largeTextsContract } from '../contract/large-texts.contract.js';
import { outlinedTasksContract } from '../contract/outlined-tasks.contract.js';
import { taskLogContract } from '../contract/task-log.contract.js';
import { taskPlansContract } from '../contract/task-plans.contract.js';
import { taskRacesContract } from '../contract/task-races.contract.js';
import { taskWritersContract } from '../contract/task-writers.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('tasks', (databases) => {
  describe('their log', () => taskLogContract(databases));
  describe('their writers', () => taskWritersContract(databases));
  describe('their races', () => taskRacesContract(databases));
  describe('of which parts are only in the log', () => outlinedTasksContract(databases));
  describe('large texts', () => largeTextsContract(databases));
  describe('of several steps', () => taskPlansContract(databases));
});
