import { OwnedDataSet } from '../../common/owned-data.js';

/** The agents of organizations. */
export abstract class AgentData extends OwnedDataSet {}
