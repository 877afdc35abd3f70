import { describe, expect, it } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from './columns.js';
import type { SqlStatement, Work } from './sql.js';
import { txFor } from './sql.js';
import { Table } from './table.js';

@Entity('notes')
class NoteEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'written_at', type: 'bigint', nullable: true, transformer: DATE })
  writtenAt!: Date | null;

  @Column({ name: 'is_read', type: 'smallint', transformer: FLAG })
  isRead!: boolean;

  @Column({ type: 'text', transformer: JSON_TEXT })
  labels!: readonly string[];

  @Column({ type: 'text', transformer: TEXT })
  text!: string;
}

abstract class Dated {
  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;
}

@Entity('labels')
class LabelEntity extends Dated {
  @PrimaryColumn({ name: 'uid', type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  text!: string;
}

const NOTES = new Table(NoteEntity);
const NOTE = { id: 'a', writtenAt: new Date(5), isRead: true, labels: ['x'], text: 'y\u0000z' };

/** The statements of a piece of work, each of which gives no rows. */
function statements<T>(work: Work<T>): SqlStatement[] {
  const all: SqlStatement[] = [];
  for (let step = work.next(); !step.done; step = work.next({ rows: [], changes: 0 })) {
    all.push(step.value);
  }
  return all;
}

describe('Table', () => {
  it('writes a row by the names, and in the forms, that the entity declares', () => {
    const [only] = statements(NOTES.insert().apply(txFor('sqlite'), [NOTE]));
    expect(only!.sql.trim()).toBe(
      'INSERT INTO notes (id, written_at, is_read, labels, text) VALUES (?, ?, ?, ?, ?)',
    );
    expect(only!.params).toEqual(['a', 5, 1, '["x"]', 'yz']);
  });

  it('reads back what it wrote, null as null', () => {
    const row = { id: 'a', written_at: null, is_read: 0, labels: '["x"]', text: 'y' };
    const read = { id: 'a', writtenAt: null, isRead: false, labels: ['x'], text: 'y' };
    expect(NOTES.select().read(row)).toEqual(read);
    expect(NOTES.select('id', 'isRead').read(row)).toEqual({ id: 'a', isRead: false });
    expect(NOTES.selectBut('text', 'labels').namesOf('n')).toBe('n.id, n.written_at, n.is_read');
  });

  it('replaces all but the primary key', () => {
    const [only] = statements(NOTES.upsert().one(txFor('sqlite'), NOTE));
    expect(only!.sql).toContain(
      'ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at, is_read = excluded.is_read',
    );
    expect(only!.sql).not.toContain('id = excluded.id');
  });

  it('updates what is named, by id, with the types that PostgreSQL cannot guess', () => {
    const update = NOTES.update(['isRead', 'text'], { text: 'notes.text || NEW' });
    const row = { id: 'a', isRead: true, text: 'more' };
    const [one] = statements(update.apply(txFor('sqlite'), [row]));
    expect(one).toEqual({
      sql: 'UPDATE notes SET is_read = ?, text = notes.text || ? WHERE id = ?',
      params: [1, 'more', 'a'],
    });
    const [many] = statements(update.apply(txFor('postgres'), [row, { ...row, id: 'b' }]));
    expect(many!.sql).toContain('(CAST(? AS smallint), CAST(? AS text), CAST(? AS text))');
    expect(many!.params).toEqual([1, 'more', 'a', 1, 'more', 'b']);
  });

  it('refuses what the entity does not declare', () => {
    expect(() => NOTES.select('title' as 'text')).toThrow('notes has no column for title');
    expect(() => new Table(class Unknown {})).toThrow('Unknown is not an entity');
  });

  it('reads one of two joined tables by names that the other does not have', () => {
    const selection = NOTES.select('id', 'isRead').as('n');
    expect(selection.names).toBe('n.id AS n_id, n.is_read AS n_is_read');
    const row = { id: 'of another', n_id: 'a', n_is_read: 1 };
    expect(selection.read(row)).toEqual({ id: 'a', isRead: true });
  });

  it('updates by the column of the id, whatever its name', () => {
    const update = new Table(LabelEntity).updateBut('createdAt');
    const [only] = statements(update.apply(txFor('sqlite'), [{ id: 'a', text: 'x' }]));
    expect(only!.sql).toBe('UPDATE labels SET text = ? WHERE uid = ?');
    expect(only!.params).toEqual(['x', 'a']);
  });

  it('knows the columns that an entity shares with others', () => {
    expect(new Table(LabelEntity).select().names.split(', ').sort()).toEqual([
      'created_at',
      'text',
      'uid',
    ]);
  });
});
