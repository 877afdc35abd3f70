import type { Page } from '../../common/page.js';
import { VersionStore } from '../version-store.js';
import type { Composite, CompositeDefinition } from './domain/composite.js';

/** A composite skill to be added; its version is the store's to say. */
export type NewComposite = Omit<Composite, 'version' | 'createdAt' | 'updatedAt'>;

/** One version of a composite skill, as it was from `createdAt` until the next one. */
export interface CompositeVersion extends CompositeDefinition {
  readonly id: string;
  readonly version: number;
  readonly source: Composite['source'];
  readonly createdAt: Date;
}

/**
 * The storage of composite skills. They are few and read on every request. Every version is kept, also
 * those of a deleted one, so that `{id, version}` of a task's route can always be read.
 */
export abstract class CompositeStore extends VersionStore<CompositeVersion> {
  /**
   * Adds a composite skill as version 1, or as the version after the last one that a deleted one of this
   * id had. Throws HubError CONFLICT when the id is taken.
   */
  abstract add(composite: NewComposite, now: Date): Promise<Composite>;

  /**
   * Changes a composite skill as it is stored at that moment. `change` is pure, may run again, and may
   * throw to leave it as it is. What it gives becomes the next version; when it differs in nothing, no
   * version is made. Resolves to what is then stored; undefined when there is none with this id.
   */
  abstract update(
    id: string,
    change: (composite: Composite) => CompositeDefinition & Pick<Composite, 'source'>,
    now: Date,
  ): Promise<Composite | undefined>;

  /**
   * Deletes a composite skill; its versions stay. `check` sees it as it is stored at that moment and may
   * throw to keep it. False when there was none.
   */
  abstract remove(id: string, now: Date, check?: (composite: Composite) => void): Promise<boolean>;

  abstract get(id: string): Promise<Composite | undefined>;

  /** By id, ascending, after `cursor` (the `nextCursor` of the page before: its last id). */
  abstract list(limit: number, cursor?: string): Promise<Page<Composite>>;

  /** All by id. */
  abstract all(): Promise<Composite[]>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
