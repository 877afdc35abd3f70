import { OwnedDataSet } from '../common/owned-data.js';

/** The limits of organizations and principals, and what they have used. */
export abstract class LimitData extends OwnedDataSet {}
