import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Loaded } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { ChangeList } from './change-list';

/** Any process may read the card anew. */
const REFRESH_MS = 5_000;

/** What is different in the card from the one before, whenever that was. */
export function LastChanges({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const kind = agent.cardTrouble?.kind;
  const hasCard = kind !== 'unusable' && kind !== 'unread';
  const cards = api.useQuery(
    'get',
    '/api/v1/agents/{id}/card',
    { params: { path: { id: agent.id } } },
    { enabled: hasCard, refetchInterval: every(REFRESH_MS) },
  );
  if (!hasCard) return null;
  return (
    <Card title="What changed last">
      <Loaded query={cards}>
        {({ previousReplacedAt, changedAt, changes }) =>
          previousReplacedAt === null ? (
            <p>
              Nothing since the agent was registered, <Time at={changedAt} />.
            </p>
          ) : (
            <>
              <p>
                This card took the place of the one before <Time at={previousReplacedAt} />.
              </p>
              <ChangeList changes={changes} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
