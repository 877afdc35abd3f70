import { Injectable } from '@nestjs/common';
import type { Tx, Work } from '../../database/sql.js';
import { SignatureOrder } from '../../signing/index.js';

/** {@link SignatureOrder} of the anchors of the audit log: their numbers. */
@Injectable()
export class SqlAnchorOrder extends SignatureOrder {
  *last(tx: Tx): Work<number> {
    const [row] = yield* tx.all<{ number: number | null }>(
      'SELECT MAX(number) AS number FROM audit_anchors',
    );
    return Number(row?.number ?? 0);
  }
}
