import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { agentPlace } from './places';

/** Agents with the reason for each. */
export function CandidateTable({
  title,
  candidates,
  more = 0,
  notes = [],
}: {
  readonly title: string;
  readonly candidates: readonly Schema<'CandidateDto'>[];
  /** How many there are beyond these. */
  readonly more?: number | undefined;
  /** What there is to say beside. */
  readonly notes?: readonly string[];
}) {
  const id = useId();
  const seesAgents = useMay('agents:organization');
  const hasScores = candidates.some(({ score }) => score !== undefined);
  return (
    <section>
      <h3 id={id}>{title}</h3>
      {candidates.length > 0 && (
        <table className="tasks-candidates" aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Skill</th>
              <th scope="col">Why</th>
              {hasScores && (
                <th scope="col" className="end">
                  Match
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {candidates.map(({ agentId, skillId, why, score }, index) => (
              <tr key={index}>
                <td>{seesAgents ? <Link to={agentPlace(agentId)}>{agentId}</Link> : agentId}</td>
                <td>{skillId ?? <span className="faint">any</span>}</td>
                <td>{why}</td>
                {hasScores && (
                  <td className="end">
                    {score === undefined ? '–' : `${Math.round(score * 100)} %`}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more > 0 && <p className="faint">and {more} more</p>}
      {notes.map((note) => (
        <p className="faint" key={note}>
          {note}
        </p>
      ))}
    </section>
  );
}
