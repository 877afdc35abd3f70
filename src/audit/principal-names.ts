import { Injectable } from '@nestjs/common';

type Source = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** What people know principals as: the feature that has principals says it. */
@Injectable()
export class PrincipalNames {
  private source: Source = () => Promise.resolve(new Map());

  /** To be called at the start. */
  use(source: Source): void {
    this.source = source;
  }

  /** By the ids; those without a name are left out. */
  of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return ids.length === 0 ? Promise.resolve(new Map()) : this.source(ids);
  }
}
