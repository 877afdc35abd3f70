import { api } from '../../../api/client';
import { every } from '../../../api/pace';
import { Badge, type Tone } from '../../../ui/badge';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';

const EVERY_MS = 10_000;
const TONES: Readonly<Record<string, Tone>> = {
  starting: 'neutral',
  sent: 'good',
  sending: 'info',
  failing: 'bad',
};

/** The systems to which the log is sent as it is written, and how far each has come. */
export function AuditExports() {
  const { data } = api.useQuery(
    'get',
    '/api/v1/audit/exports',
    {},
    { refetchInterval: every(EVERY_MS) },
  );
  if (!data || data.items.length === 0) return null;
  return (
    <Card title="Sent to other systems">
      <ul className="access-own">
        {data.items.map((each) => (
          <li key={each.id}>
            <span>
              {each.id} <span className="faint">{each.server}</span>
            </span>
            <span>
              <Badge tone={TONES[each.state] ?? 'neutral'}>{each.state}</Badge>{' '}
              {each.waiting.toLocaleString('en')} waiting, {each.sent.toLocaleString('en')} sent
              {each.missed > 0 && <strong> {each.missed} missed</strong>}
              {each.setAside > 0 && <strong> {each.setAside} set aside</strong>}{' '}
              {each.lastError !== null && (
                <span className="access-exceeded">
                  {each.lastError} <Time at={each.lastErrorAt} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
