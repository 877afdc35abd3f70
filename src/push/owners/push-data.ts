import { OwnedDataSet } from '../../common/owned-data.js';

/** Webhooks, subscriptions, what they have delivered, and what is kept of their receivers. */
export abstract class PushData extends OwnedDataSet {}
