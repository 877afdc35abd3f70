import { Global, Module } from '@nestjs/common';
import { PrincipalNames } from '../audit/index.js';
import { SqlPrincipalNames } from './persistence/sql-principal-names.js';

/** The names of principals, for all: the audit log shows them too, which knows nothing of this feature. */
@Global()
@Module({
  providers: [{ provide: PrincipalNames, useClass: SqlPrincipalNames }],
  exports: [PrincipalNames],
})
export class PrincipalNamesModule {}
