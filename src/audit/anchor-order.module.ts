import { Global, Module } from '@nestjs/common';
import { SignatureOrder } from '../signing/index.js';
import { SqlAnchorOrder } from './persistence/sql-anchor-order.js';

/** The order of the anchors, for the keys that sign them: these know nothing of the audit log. */
@Global()
@Module({
  providers: [{ provide: SignatureOrder, useClass: SqlAnchorOrder }],
  exports: [SignatureOrder],
})
export class AnchorOrderModule {}
