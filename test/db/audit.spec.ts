import { auditChainContract } from '../contract/audit-chain.contract.js';
import { auditExportContract } from '../contract/audit-export.contract.js';
import { auditLogContract } from '../contract/audit-log.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('the audit log', (databases) => auditLogContract(() => databases.openEmptied()));

describeDatabases('verification of the audit log', (databases) =>
  auditChainContract(() => databases.openEmptied()),
);

describeDatabases('exports of the audit log', (databases) =>
  auditExportContract(() => databases.openEmptied()),
);
