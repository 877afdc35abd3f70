import { taskLogContract } from '../contract/task-log.contract.js';
import { taskPlansContract } from '../contract/task-plans.contract.js';
import { taskWritersContract } from '../contract/task-writers.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('task log', taskLogContract);

describeDatabases('writers of tasks', taskWritersContract);

describeDatabases('tasks of several steps', taskPlansContract);
