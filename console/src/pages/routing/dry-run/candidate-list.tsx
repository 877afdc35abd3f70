import { Link } from '@tanstack/react-router';
import type { Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { useAgentNames } from '../../../ui/agent-names';

/** Agents with the reason why each was chosen or left out. */
export function CandidateList({
  label,
  candidates,
  numbered = false,
  more = 0,
  notes = [],
}: {
  readonly label: string;
  readonly candidates: readonly Schema<'CandidateDto'>[];
  readonly numbered?: boolean;
  /** How many there are beyond these. */
  readonly more?: number | undefined;
  /** What there is to say beside. */
  readonly notes?: readonly string[];
}) {
  return (
    <ol className="routing-candidates" aria-label={label}>
      {candidates.map(({ agentId, skillId, score, why }, index) => (
        <li key={`${agentId} ${skillId} ${index}`}>
          {numbered && <span className="routing-rule-number">{index + 1}</span>}
          <div>
            <p>
              <AgentLink agentId={agentId} skillId={skillId} />
              {skillId && <span className="faint"> {skillId}</span>}
            </p>
            <p className="faint">{why}</p>
          </div>
          {score !== undefined && (
            <span className="routing-score" title="How well it matches the text, from 0 to 1">
              <span className="routing-score-bar" aria-hidden="true">
                <span style={{ width: `${score * 100}%` }} />
              </span>
              {score.toFixed(2)}
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li className="faint">and {more} more</li>}
      {notes.map((note) => (
        <li className="faint" key={note}>
          {note}
        </li>
      ))}
    </ol>
  );
}

function AgentLink({
  agentId,
  skillId,
}: {
  readonly agentId: string;
  readonly skillId: string | undefined;
}) {
  const [mayAgents, mayRouting] = [useMay('agents:organization'), useMay('routing')];
  const { isMissing } = useAgentNames();
  const isComposite = agentId === 'composite';
  if (!(isComposite ? mayRouting : mayAgents)) return isComposite ? 'composite skill' : agentId;
  // The page of one that is not there, or not to be seen, would lead to nothing.
  if (!isComposite && isMissing(agentId)) return agentId;
  const to =
    agentId === 'composite' && skillId !== undefined
      ? `/routing/composite-skills/${skillId}`
      : `/agents/${agentId}`;
  return <Link to={to}>{agentId === 'composite' ? 'composite skill' : agentId}</Link>;
}
