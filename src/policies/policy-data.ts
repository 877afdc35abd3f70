import { OwnedDataSet } from '../common/owned-data.js';

/** The policies of organizations. */
export abstract class PolicyData extends OwnedDataSet {}
