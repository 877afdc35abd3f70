import { Injectable } from '@nestjs/common';
import { allOf, anyOf, condition } from '../../database/conditions.js';
import { Database } from '../../database/database.js';
import { byCharacters } from '../../database/dialect.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { monthOf } from '../domain/applied-limit.js';
import { type LimitSubject, targetOf } from '../domain/limit.js';
import {
  type Charge,
  Spending,
  type SpendingFilter,
  type SpendingGroup,
  type SpendingPlace,
  type SpendingSum,
} from '../spending.js';
import {
  type SpendingColumn,
  summed,
  sumInPieces,
  type SumPlace,
  type SumRow,
} from './spending-sums.js';
import { added, plus } from './sums.js';

const ADD = `INSERT INTO spending
    (organization, month, principal_id, agent_id, skill_id, unit, amount, tasks)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (organization, month, principal_id, agent_id, skill_id, unit) DO UPDATE SET
    amount = ${plus('spending.amount')}, tasks = spending.tasks + excluded.tasks`;

const COLUMNS: Readonly<Record<SpendingGroup, readonly SpendingColumn[]>> = {
  organization: ['organization'],
  principal: ['principal_id'],
  agent: ['agent_id'],
  skill: ['agent_id', 'skill_id'],
  month: ['month'],
};

/** {@link Spending} on the hub's database. */
@Injectable()
export class SqlSpending extends Spending {
  constructor(private readonly database: Database) {
    super();
  }

  *add(tx: Tx, charges: readonly Charge[], now: Date): Work<void> {
    const month = monthOf(now);
    const rows = new Map<string, { key: SqlValue[]; amount: number; tasks: number }>();
    for (const { organization, principalId, agentId, skillId, unit, amount } of charges) {
      const skill = skillId === null ? '' : storable(skillId);
      const key = [organization, month, principalId, agentId, skill, unit];
      const text = JSON.stringify(key);
      const row = rows.get(text) ?? { key, amount: 0, tasks: 0 };
      rows.set(text, { key, amount: row.amount + amount, tasks: row.tasks + 1 });
    }
    for (const text of [...rows.keys()].sort()) {
      const { key, amount, tasks } = rows.get(text)!;
      yield* tx.run(ADD, [...key, amount, tasks, ...added(amount)]);
    }
  }

  *sum(tx: Tx, subject: LimitSubject, unit: string, month: number): Work<number> {
    const { sql, params } = summing(subject, unit, month);
    const [row] = yield* tx.all<{ amount: number | null }>(sql, params);
    return row?.amount ?? 0;
  }

  async readSum(subject: LimitSubject, unit: string, month: number): Promise<number> {
    const { sql, params } = summing(subject, unit, month);
    const [row] = await this.database.read<{ amount: number | null }>(sql, params);
    return row?.amount ?? 0;
  }

  async sums(
    filter: SpendingFilter,
    by: readonly SpendingGroup[],
    limit: number,
    after?: SpendingPlace,
  ): Promise<SpendingSum[]> {
    const groups = [...new Set([...by.flatMap((each) => COLUMNS[each]), 'unit' as const])];
    const place = after && placeOf(after);
    const rows =
      this.database.dialect === 'sqlite'
        ? await sumInPieces(this.database, filter, groups, limit, place)
        : await this.sumAtOnce(filter, groups, limit, place);
    return rows.map((row) => ({
      month: row.month ?? null,
      organization: row.organization ?? null,
      principal: row.principal_id ?? null,
      agent: row.agent_id ?? null,
      skill: row.skill_id ? `${row.agent_id}.${row.skill_id}` : null,
      unit: row.unit ?? '',
      amount: row.amount,
      tasks: row.tasks,
    }));
  }

  private sumAtOnce(
    filter: SpendingFilter,
    groups: readonly SpendingColumn[],
    limit: number,
    after: SumPlace | undefined,
  ): Promise<SumRow[]> {
    const { where, params } = filtered(filter);
    const ordered = (each: SpendingColumn): string =>
      each === 'month' ? each : byCharacters(each, this.database.dialect);
    const order = groups.map((each) => ordered(each) + (each === 'month' ? ' DESC' : ''));
    const behind =
      after &&
      anyOf(
        groups.map((each, index) =>
          allOf([
            ...groups.slice(0, index).map((before) => condition(`${before} = ?`, after[before]!)),
            condition(`${ordered(each)} ${each === 'month' ? '<' : '>'} ?`, after[each]!),
          ]),
        ),
      );
    return this.database.read<SumRow>(
      `${summed(groups)} WHERE ${where}${behind === undefined ? '' : ` AND ${behind.sql}`}
       GROUP BY ${groups.join(', ')} ORDER BY ${order.join(', ')} LIMIT ?`,
      [...params, ...(behind?.params ?? []), limit],
    );
  }

  forget(before: number, limit: number): Promise<number> {
    const key = 'organization, month, principal_id, agent_id, skill_id, unit';
    return this.database.write(
      (tx) =>
        tx.run(
          `DELETE FROM spending WHERE (${key}) IN
             (SELECT ${key} FROM spending WHERE month < ? LIMIT ?)`,
          [before, limit],
        ),
      'may-be-lost',
    );
  }
}

/** The columns of a sum; those of members that it is not of are not looked at. */
function placeOf({ month, organization, principal, agent, skill, unit }: SpendingPlace): SumPlace {
  return {
    ...{ month: month ?? 0, organization: organization ?? '', principal_id: principal ?? '' },
    ...{ agent_id: agent ?? '', skill_id: skill?.slice(`${agent}.`.length) ?? '', unit },
  };
}

function summing(
  { organization, principal, agent, skill }: LimitSubject,
  unit: string,
  month: number,
): { sql: string; params: SqlValue[] } {
  const target = targetOf({ organization, principal, agent, skill });
  const { where, params } = filtered({
    ...(organization !== null && { organization }),
    ...(principal !== null && { principal }),
    ...(target !== null && { agent: target.agentId }),
    unit,
    fromMonth: month,
    toMonth: month,
  });
  const { skillId } = target ?? {};
  const ofSkill = skillId === undefined ? '' : ' AND skill_id = ?';
  return {
    sql: `SELECT SUM(amount) AS amount FROM spending WHERE ${where}${ofSkill}`,
    params: skillId === undefined ? params : [...params, storable(skillId)],
  };
}

function filtered(filter: SpendingFilter): { where: string; params: SqlValue[] } {
  const { organization, principal, agent, unit, fromMonth, toMonth } = filter;
  const conditions = [
    ['organization = ?', organization],
    ['principal_id = ?', principal],
    ['agent_id = ?', agent],
    ['unit = ?', unit],
    ['month >= ?', fromMonth],
    ['month <= ?', toMonth],
  ] as const;
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([condition]) => condition).join(' AND ') || '1 = 1',
    params: given.map(([, value]) => value as SqlValue),
  };
}
