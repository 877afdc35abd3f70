import { Injectable } from '@nestjs/common';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import { CleanupStore, type Waits } from '../cleanup-store.js';
import { deleteOld } from './delete-deliveries.js';
import { disableEndpoint } from './disable-endpoint.js';
import { repairEndpoints, repairImpossible, repairStreams } from './repair-times.js';

/** {@link CleanupStore} on the hub's database. */
@Injectable()
export class SqlCleanupStore extends CleanupStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  disableWebhooks(now: Date, limit: number): Promise<boolean> {
    return this.database.write((tx) => disableEndpoint(tx, this.ids, now, limit));
  }

  async repairTimes(now: Date, waits: Waits, thorough: boolean): Promise<number> {
    const at = now.getTime();
    let moved = 0;
    if (thorough) {
      moved += await this.database.write((tx) => repairEndpoints(tx, at, waits));
      for (let after: string | null = ''; after !== null;) {
        const from: string = after;
        const piece = await this.database.write((tx) => repairStreams(tx, at, waits, from));
        after = piece.after;
        moved += piece.moved;
      }
    }
    return moved + (await this.database.write((tx) => repairImpossible(tx, at, waits)));
  }

  prune(before: Date, limit: number): Promise<number> {
    const params = [before.getTime(), limit];
    return this.database.write(function* (tx) {
      const attempts = yield* tx.run(
        `DELETE FROM push_attempts WHERE (delivery_id, number) IN
           (SELECT delivery_id, number FROM push_attempts WHERE at < ? LIMIT ?)`,
        params,
      );
      return attempts + (yield* deleteOld(tx, 'delivered', before, limit));
    });
  }
}
