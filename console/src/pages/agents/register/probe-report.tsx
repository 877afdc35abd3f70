import type { Schema } from '../../../api/client';
import { Badge, type Tone } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Facts } from '../../../ui/page';
import { durationText } from '../../../ui/time';

type Report = Schema<'ProbeReportDto'>;

const OUTCOMES: Readonly<
  Record<Report['outcome'], { readonly tone: Tone; readonly text: string }>
> = {
  answered: { tone: 'good', text: 'It answered.' },
  late: { tone: 'warning', text: 'It was still at it when the time was over, or said nothing.' },
  unreachable: { tone: 'bad', text: 'It did not get the message.' },
  refused: { tone: 'bad', text: 'It did not accept the message.' },
  unreadable: { tone: 'bad', text: 'Its answer is not A2A.' },
  'broke-off': { tone: 'bad', text: 'The connection broke.' },
};

/** What one message has shown of an agent, and what to set because of it. */
export function ProbeReport({
  report,
  taken,
  onTake,
}: {
  readonly report: Report;
  readonly taken: Readonly<Record<string, unknown>>;
  readonly onTake: (patch: Record<string, unknown>) => void;
}) {
  const { tone, text } = OUTCOMES[report.outcome];
  return (
    <div className="agents-stack agents-report" role="status">
      <div className="agents-badges">
        <Badge tone={tone}>{report.outcome}</Badge>
        <strong>{text}</strong>
        {report.firstAnswerMs !== null && (
          <span className="faint">First answer after {durationText(report.firstAnswerMs)}.</span>
        )}
      </div>
      {report.error && <p>{report.error}</p>}
      {report.oldWire && <p>{report.oldWire}</p>}
      <Facts
        facts={{
          Answer: report.answer,
          Streams: tested(report.streams),
          'Can be asked for its task': tested(report.answersGetTask),
          'Lists its tasks': tested(report.listsTasks),
          'Can be canceled': tested(report.cancels),
          Server: report.server,
          'Deviates from A2A': report.deviations.length > 0 ? report.deviations.join(', ') : null,
        }}
      />
      {report.doubts.map((doubt) => (
        <p key={doubt} className="agents-sub">
          {doubt}
        </p>
      ))}
      {report.recommendations.map(({ patch, why }) => (
        <div key={why} className="agents-badges">
          <span>{why}</span>
          {patch &&
            (isTaken(patch, taken) ? (
              <Badge tone="good">set</Badge>
            ) : (
              <Button small onClick={() => onTake(patch)}>
                Set {JSON.stringify(patch)}
              </Button>
            ))}
        </div>
      ))}
    </div>
  );
}

function isTaken(
  patch: Readonly<Record<string, unknown>>,
  taken: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(patch).every(
    ([name, value]) => JSON.stringify(taken[name]) === JSON.stringify(value),
  );
}

function tested(found: Report['streams']): string | null {
  return found === 'not-tested' ? null : found;
}
