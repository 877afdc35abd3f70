import { Injectable } from '@nestjs/common';
import { PrincipalNames } from '../../audit/index.js';
import { ApiKeyStore, hasScope, type Principal } from '../../auth/index.js';
import { NO_WORKERS, WorkerWatch } from '../../database/worker-watch.js';
import { TaskRetries } from '../store/task-retries.js';
import type { TaskAggregate } from '../task.js';
import { keyIdsOf, principalIdsOf, type TaskReader } from './task.dto.js';

/** What answers about tasks depend on beside the tasks: who reads, and what is looked up for them. */
@Injectable()
export class TaskReaders {
  constructor(
    private readonly workers: WorkerWatch,
    private readonly keys: ApiKeyStore,
    private readonly names: PrincipalNames,
    private readonly retries: TaskRetries,
  ) {}

  async of(
    caller: Principal,
    tasks: readonly Pick<TaskAggregate, 'record'>[],
  ): Promise<TaskReader> {
    const keyNames = await this.keys.names(keyIdsOf(tasks));
    const principalNames = await this.names.of(principalIdsOf(tasks));
    const retriedAs = await this.retries.newestOf(tasks.map(({ record }) => record.id));
    const unworked = this.workers.hasNoWorkers ? NO_WORKERS : null;
    const isAdmin = hasScope(caller, 'tasks:all');
    return { unworked, isAdmin, keyNames, principalNames, retriedAs };
  }
}
