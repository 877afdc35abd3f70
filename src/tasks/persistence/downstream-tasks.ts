import type { Database } from '../../database/database.js';
import { listOf, pieces } from '../../database/multi-row.js';
import type { SqlValue } from '../../database/sql.js';
import type { DownstreamTasks } from '../store/task-store.js';
import type { Delegation } from '../task.js';
import { firstPiece } from './large-texts.js';

/**
 * A delegation that may have sent its message without learning of its agent's task. The message begins as asked,
 * or its text is stored apart.
 */
const IN_DOUBT = `d.id <> ? AND d.agent_id = ? AND d.downstream_task_id IS NULL
  AND (SUBSTR(e.body, 1, ?) = ? OR e.text_id IS NOT NULL)`;

/**
 * Messages of delegations still in doubt, and of those that ended in doubt since. Each part begins at an index: at the work that has a
 * runner, at what waits for one at this agent (left to itself, SQLite would begin at all delegations of the agent), and at what ended so.
 */
const MESSAGES_IN_DOUBT = `
  WITH under_way AS MATERIALIZED (
    SELECT id, agent_id, downstream_task_id, task_id, message_seq FROM delegations
    WHERE claimable_at > 0 AND state = 'sending'
    UNION ALL
    SELECT id, agent_id, downstream_task_id, task_id, message_seq FROM delegations
    WHERE claimable_at = 0 AND cancel_pending = 0 AND agent_id = ? AND state = 'sending')
  SELECT e.task_id, e.text_id FROM under_way d
    CROSS JOIN task_events e
    WHERE e.task_id = d.task_id AND e.seq = d.message_seq AND ${IN_DOUBT}
  UNION ALL
  SELECT e.task_id, e.text_id FROM delegations d
    CROSS JOIN task_events e
    WHERE e.task_id = d.task_id AND e.seq = d.message_seq AND d.doubt_at >= ? AND ${IN_DOUBT}`;

/** The clocks of the processes may differ by so much; what is in doubt too often is only left undecided. */
const CLOCKS_MS = 60_000;

/** See {@link DownstreamTasks}. */
export class SqlDownstreamTasks implements DownstreamTasks {
  constructor(private readonly database: Database) {}

  async held(agentId: string, downstreamTaskIds: readonly string[]): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (const piece of pieces(downstreamTaskIds)) {
      // Asked for the agent too, SQLite would go through all of its delegations.
      const rows = await this.database.read<{ downstream_task_id: string; agent_id: string }>(
        `SELECT DISTINCT downstream_task_id, agent_id FROM delegations
         WHERE downstream_task_id IN ${listOf(piece.length)}`,
        piece,
      );
      for (const row of rows) if (row.agent_id === agentId) held.add(row.downstream_task_id);
    }
    return held;
  }

  async isAwaitedByAnother(
    { id, agentId, createdAt }: Pick<Delegation, 'id' | 'agentId' | 'createdAt'>,
    messageId: string,
  ): Promise<boolean> {
    const beginning = beginningOf(messageId);
    // The database counts characters, not UTF-16 units.
    const inDoubt: SqlValue[] = [id, agentId, [...beginning].length, beginning];
    const rows = await this.database.read<MessageRow>(MESSAGES_IN_DOUBT, [
      agentId,
      ...inDoubt,
      createdAt.getTime() - CLOCKS_MS,
      ...inDoubt,
    ]);
    for (const { task_id, text_id } of rows) {
      if (text_id === null) return true;
      const text = await firstPiece(this.database, task_id, text_id);
      if (text.startsWith(beginning)) return true;
    }
    return false;
  }
}

interface MessageRow {
  readonly task_id: string;
  readonly text_id: string | null;
}

/**
 * How the log has a message with this id. The id comes first, before anything that its sender may have written
 * into parts and metadata.
 */
function beginningOf(messageId: string): string {
  return `{"message":{"messageId":${JSON.stringify(messageId)}`;
}
