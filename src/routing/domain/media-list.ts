import { namedList } from '../../common/named-list.js';

const lists = new WeakMap<readonly string[], MediaList>();

/** A media type or a range of them, as it is compared: without parameters, in lower case. */
interface MediaType {
  readonly written: string;
  readonly essence: string;
  /** Up to its slash, with it: `image/`; empty without one. */
  readonly kind: string;
  /** It ends in a wildcard: what it holds are all of its kind. */
  readonly isRange: boolean;
}

/**
 * Media types, or ranges that end in a wildcard, ready to be compared. Parameters and case are ignored. A message may name a
 * hundred long ones and is compared with every skill that may take it, so what there is to know of a list is worked out
 * once for it: the lists of cards, rules and messages do not change.
 */
export class MediaList {
  private readonly types: readonly MediaType[];
  private readonly essences: ReadonlySet<string>;
  private readonly kinds: ReadonlySet<string>;
  /** Of which kinds it takes everything. */
  private readonly ranges: ReadonlySet<string>;
  private readonly takesAll: boolean;
  private words: string | undefined;

  static of(written: readonly string[]): MediaList {
    const known = lists.get(written);
    if (known) return known;
    const list = new MediaList(written);
    lists.set(written, list);
    return list;
  }

  private constructor(written: readonly string[]) {
    this.types = written.map(typeOf);
    this.essences = new Set(this.types.map(({ essence }) => essence));
    this.kinds = new Set(this.types.map(({ kind }) => kind));
    const ranges = this.types.filter(({ isRange }) => isRange);
    this.ranges = new Set(ranges.map(({ essence }) => essence.slice(0, -1)));
    this.takesAll = this.essences.has(ANY);
  }

  get isEmpty(): boolean {
    return this.types.length === 0;
  }

  /** Its types in a sentence, see {@link namedList}. */
  get named(): string {
    return (this.words ??= namedList(this.types.map(({ written }) => written)));
  }

  /** Whether one of these takes one of the others: equal, or one a range that holds the other. */
  meets(others: MediaList): boolean {
    return others.types.some((type) => this.takes(type));
  }

  /** Those of the others that one of these takes, as they are written. */
  takenOf(others: MediaList): readonly string[] {
    return others.types.filter((type) => this.takes(type)).map(({ written }) => written);
  }

  /** Those that none of these takes. */
  refusedOf(others: MediaList): readonly string[] {
    return others.types.filter((type) => !this.takes(type)).map(({ written }) => written);
  }

  private takes({ essence, kind, isRange }: MediaType): boolean {
    return (
      this.takesAll ||
      this.essences.has(essence) ||
      this.ranges.has(kind) ||
      (essence === ANY ? !this.isEmpty : isRange && this.kinds.has(kind))
    );
  }
}

const ANY = '*/*';

function typeOf(written: string): MediaType {
  const essence = (written.split(';', 1)[0] ?? '').trim().toLowerCase();
  const kind = essence.slice(0, essence.indexOf('/') + 1);
  return { written, essence, kind, isRange: essence.endsWith('/*') };
}
