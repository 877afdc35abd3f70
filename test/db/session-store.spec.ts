import { sessionStoreContract } from '../contract/session-store.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('sessions of the console', sessionStoreContract);
