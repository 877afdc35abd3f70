import { client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { Loaded } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { UseBar } from '../limits/use-bar';
import { ACCESS } from '../query-keys';

type Own = Schema<'OwnUsageDto'>;

/** What limits whoever is signed in, and how much of it is used. */
export function OwnUsage() {
  const pages = usePages<Own>([ACCESS, 'own-usage'], (cursor, signal) =>
    client.GET('/api/v1/usage/me', { params: { query: { limit: PAGE_ROWS, cursor } }, signal }),
  );
  return (
    <Card title="Your own">
      <Loaded query={pages}>
        {(rows) => (
          <ul className="access-own">
            {rows.map((use) => (
              <li key={`${use.of} ${use.agent} ${use.skill} ${use.kind}`}>
                <span>
                  {use.of === 'principal' ? 'Yours' : 'Your organization’s'}
                  {(use.skill ?? use.agent) !== null && (
                    <span className="faint"> at {use.skill ?? use.agent}</span>
                  )}
                </span>
                <UseBar use={use} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
