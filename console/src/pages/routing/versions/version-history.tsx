import type { ReactNode } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ErrorView, Loaded, Loading, type Read } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { ValueDiff } from '../../../ui/value-diff';

/** What every version says, whatever it is of. */
export interface SavedVersion {
  readonly version: number;
  readonly source: 'api' | 'config';
  readonly enabled: boolean;
  readonly createdAt: string;
}

/** The versions that are compared. */
export interface Compared {
  readonly from: number;
  readonly to: number;
}

/** How many versions are read at once. */
export const VERSIONS_PAGE = 50;

interface Pages<V> extends Read<{ readonly pages: readonly { readonly items: readonly V[] }[] }> {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Every version there has been, and what is different between two of them. */
export function VersionHistory<V extends SavedVersion>({
  list,
  newest,
  compared,
  before,
  after,
  writtenOf,
  authorOf,
  onCompare,
  onTake,
}: {
  /** The versions, the newest first, as far as they are read. */
  readonly list: Pages<V>;
  readonly newest: number;
  readonly compared: Compared;
  readonly before: Read<V>;
  readonly after: Read<V>;
  /** What somebody has written of a version, without what the hub adds. */
  readonly writtenOf: (version: V) => object;
  readonly authorOf: (version: V) => string | null;
  readonly onCompare: (compared: Compared, options?: { readonly replace: boolean }) => void;
  /** Takes a version into the editor; none: it cannot be changed here. */
  readonly onTake?: ((version: number) => void) | undefined;
}) {
  return (
    <Loaded query={list}>
      {({ pages }) => (
        <div className="routing-versions">
          {newest > 1 && (
            <Comparison newest={newest} compared={compared} onCompare={onCompare}>
              <Differences before={before} after={after} writtenOf={writtenOf} />
            </Comparison>
          )}
          <Card title="Versions" flush>
            <ol className="routing-version-list" aria-label="Versions, the newest first">
              {pages
                .flatMap(({ items }) => items)
                .map((each) => (
                  <li key={each.version}>
                    <span>
                      <strong>Version {each.version}</strong>{' '}
                      {!each.enabled && <Badge>disabled</Badge>}
                    </span>
                    <span className="faint">
                      <Time at={each.createdAt} />
                      {each.source === 'config'
                        ? ', by the configuration file'
                        : byWhom(authorOf(each))}
                    </span>
                    <span className="actions">
                      {each.version > 1 && (
                        <Button
                          small
                          onClick={() => onCompare({ from: each.version - 1, to: each.version })}
                        >
                          What it changed
                        </Button>
                      )}
                      {onTake && each.version < newest && (
                        <Button small onClick={() => onTake(each.version)}>
                          Take into the editor
                        </Button>
                      )}
                    </span>
                  </li>
                ))}
            </ol>
            {list.hasNextPage && (
              <p className="table-more">
                <Button
                  small
                  busy={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Load more
                </Button>
              </p>
            )}
          </Card>
        </div>
      )}
    </Loaded>
  );
}

function byWhom(author: string | null): string {
  return author === null ? '' : `, by ${author}`;
}

function Comparison({
  newest,
  compared,
  onCompare,
  children,
}: {
  readonly newest: number;
  readonly compared: Compared;
  readonly onCompare: (compared: Compared, options: { readonly replace: boolean }) => void;
  readonly children: ReactNode;
}) {
  const numbers = Array.from({ length: newest }, (_, index) => String(newest - index));
  const options = numbers.map((value) => ({ value, label: `Version ${value}` }));
  const choose = (changed: Partial<Compared>) =>
    onCompare({ ...compared, ...changed }, { replace: true });
  return (
    <Card
      title="Differences"
      actions={
        <>
          <Field label={<span className="visually-hidden">From</span>}>
            <Select
              options={options}
              value={String(compared.from)}
              onChange={({ target }) => choose({ from: Number(target.value) })}
            />
          </Field>
          <span aria-hidden="true">→</span>
          <Field label={<span className="visually-hidden">To</span>}>
            <Select
              options={options}
              value={String(compared.to)}
              onChange={({ target }) => choose({ to: Number(target.value) })}
            />
          </Field>
        </>
      }
    >
      {children}
    </Card>
  );
}

function Differences<V extends SavedVersion>({
  before,
  after,
  writtenOf,
}: {
  readonly before: Read<V>;
  readonly after: Read<V>;
  readonly writtenOf: (version: V) => object;
}) {
  const error = before.error ?? after.error;
  if (error) return <ErrorView error={error} />;
  if (!before.data || !after.data) return <Loading />;
  return (
    <ValueDiff
      label={`From version ${before.data.version} to version ${after.data.version}`}
      from={writtenOf(before.data)}
      to={writtenOf(after.data)}
    />
  );
}
