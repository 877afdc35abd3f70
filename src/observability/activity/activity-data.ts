import { OwnedDataSet } from '../../common/owned-data.js';

/** What was counted of organizations. */
export abstract class ActivityData extends OwnedDataSet {}
