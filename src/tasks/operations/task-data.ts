import { OwnedDataSet } from '../../common/owned-data.js';

/** What organizations and principals own of tasks. */
export abstract class TaskData extends OwnedDataSet {}
