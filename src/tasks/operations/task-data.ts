import { Injectable } from '@nestjs/common';
import { type OwnedData, OwnedDataSet } from '../../common/owned-data.js';
import { OwnedTaskRows } from '../store/owned-tasks.js';
import { TaskRecords } from './task-records.js';

/** What organizations and principals own of tasks. */
@Injectable()
export class TaskData extends OwnedDataSet {
  readonly kinds: readonly OwnedData[];

  constructor(tasks: TaskRecords, rows: OwnedTaskRows) {
    super();
    this.kinds = [tasks, ...rows.kinds];
  }
}
