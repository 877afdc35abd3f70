import { OwnedDataSet } from '../common/owned-data.js';

/** Principals, their keys, and whom issuers know them as. */
export abstract class AuthData extends OwnedDataSet {}
