import { useState } from 'react';
import { useMay } from '../../../api/me';
import { asProblem } from '../../../api/problem';
import { AgentInput } from '../../../ui/agent-input';
import { useAgents } from '../../../ui/agent-names';
import { Button } from '../../../ui/button';
import { Empty, ErrorView } from '../../../ui/feedback';
import { DataTable } from '../../../ui/data-table';
import { Field, Select, TextInput } from '../../../ui/field';
import { distinctName, namesSeveral, severalCalled } from '../../../ui/id-of-name';
import { betweenCommas, counted } from '../../../ui/lists';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { Toolbar } from '../../../ui/toolbar';
import { useAccessSearch } from '../search';
import { PrincipalFilter } from '../shared/principal-inputs';
import { type Caller, type Question, reachOf } from './decide';
import { DecidedBy, DecisionView } from './decision-view';
import { questionsOf, skillsOf, useCaller, usePrincipals } from './questions';
import { summaryOf } from './summary';
import { useDecisions } from './use-decisions';

const NO_ROWS = { rows: [], hasMore: false };

/** Who may ask an agent, and what a caller may ask: the answers of all policies, by which and why. */
export function WhoMayTab() {
  const [{ agent = '', skill = '', principal = '', by = 'agent' }, change] = useAccessSearch();
  const mayAgents = useMay('agents:organization');
  const agents = useAgents();
  const principals = usePrincipals();
  const [groups, setGroups] = useState('');
  const [signIn, setSignIn] = useState('key');
  const asker = useCaller(by === 'caller' ? principal : '');
  const caller: Partial<Caller> = {
    ...(asker.data && { id: asker.data.id }),
    ...(groups.trim() !== '' && { groups: betweenCommas(groups) }),
    signIn: signIn as Caller['signIn'],
  };
  const { rows: questions, hasMore } = questionsOf({
    by,
    agent,
    skill,
    caller,
    asker: asker.data,
    agents: agents.data ?? NO_ROWS,
    principals: principals.data ?? NO_ROWS,
  });
  const { decisions, error, at, askAgain } = useDecisions(questions);
  // Of a list that is cut, one that is not in it can be named as well.
  const listed = agents.data?.hasMore === false ? agents.data.rows : undefined;
  const known = agents.data?.rows.find(({ id }) => id === agent);
  const skills = known ? skillsOf(known).map(({ id, name }) => ({ value: id, label: name })) : [];
  const answered = questions.filter(({ key }) => decisions.has(key));
  return (
    <div className="page">
      <Toolbar>
        <Field label="Question">
          <Select
            value={by}
            onChange={(event) => change({ by: event.target.value })}
            options={[
              { value: 'agent', label: 'Who may call an agent?' },
              { value: 'caller', label: 'What may a caller ask?' },
            ]}
          />
        </Field>
        {by === 'agent' ? (
          <>
            <Field label="Agent">
              {listed ? (
                <Select
                  value={agent}
                  onChange={(event) => change({ agent: event.target.value, skill: undefined })}
                  options={[
                    { value: '', label: 'Choose …' },
                    ...listed.map(({ id, name }) => ({
                      value: id,
                      label: distinctName(id, name, listed),
                    })),
                  ]}
                />
              ) : (
                <AgentInput
                  value={agent}
                  onChange={(next) => change({ agent: next, skill: undefined })}
                />
              )}
            </Field>
            <Field label="Skill">
              {known || (mayAgents && agent === '') ? (
                <Select
                  value={skill}
                  onChange={(event) => change({ skill: event.target.value })}
                  options={[{ value: '', label: 'The agent and its skills' }, ...skills]}
                />
              ) : (
                <TextInput
                  value={skill}
                  onChange={(event) => change({ skill: event.target.value })}
                />
              )}
            </Field>
          </>
        ) : (
          <>
            <PrincipalFilter
              label="Caller"
              value={principal}
              onChange={(next) => change({ principal: next })}
            />
            <Field label="Also in the groups">
              <TextInput value={groups} onChange={(event) => setGroups(event.target.value)} />
            </Field>
          </>
        )}
        <Field label="Signs in with">
          <Select
            value={signIn}
            onChange={(event) => setSignIn(event.target.value)}
            options={[
              { value: 'key', label: 'A key' },
              { value: 'token', label: 'A token' },
              { value: 'certificate', label: 'A certificate' },
              { value: 'none', label: 'Nothing' },
            ]}
          />
        </Field>
      </Toolbar>
      {error !== null && <ErrorView error={error} />}
      {questions.length > 0 && (
        <p className="actions">
          <span role="status">
            {answered.length < questions.length
              ? `Asking: ${answered.length} of ${questions.length} …`
              : summaryOf(answered, decisions)}
            {hasMore &&
              ` Only the first ${counted(questions.length, 'is', 'are')} looked at: there are more.`}
          </span>
          {at !== null && (
            <>
              <span className="faint">
                Asked <Time at={at.toISOString()} />.
              </span>
              <Button
                small
                onClick={() => {
                  void principals.refetch();
                  askAgain();
                }}
              >
                Ask again
              </Button>
            </>
          )}
        </p>
      )}
      <Card flush>
        <DataTable<Question>
          label={by === 'agent' ? 'Callers of the agent' : 'What the caller may ask'}
          rows={questions}
          rowId={({ key }) => key}
          columns={[
            {
              id: 'who',
              header: by === 'agent' ? 'Caller' : 'Agent and skill',
              share: 1.4,
              sortBy: ({ label }) => label,
              cell: ({ label, title }) => <span title={title}>{label}</span>,
            },
            {
              id: 'decision',
              header: 'Decision',
              share: 0.6,
              sortBy: ({ key }) => {
                const decision = decisions.get(key);
                return decision ? reachOf(decision) : '';
              },
              cell: (each) => <DecisionView decision={decisions.get(each.key)} {...each} />,
            },
            {
              id: 'why',
              header: 'By which policy and why',
              share: 3,
              cell: (each) => <DecidedBy decision={decisions.get(each.key)} {...each} />,
            },
          ]}
          empty={
            by === 'agent' ? (
              <Empty title="Which agent?">
                <p>Name an agent above, and each principal is shown with what the policies say.</p>
              </Empty>
            ) : (
              <NoCaller
                principal={principal}
                caller={asker}
                isShared={namesSeveral(principal, principals.data?.rows ?? [])}
              />
            )
          }
        />
      </Card>
    </div>
  );
}

/** Why nothing is asked of a caller. */
function NoCaller({
  principal,
  caller,
  isShared,
}: {
  readonly principal: string;
  /** Several are called so. */
  readonly isShared: boolean;
  readonly caller: ReturnType<typeof useCaller>;
}) {
  if (principal === '') {
    return (
      <Empty title="Which caller?">
        <p>Name a principal above, and each agent is shown with what the policies say.</p>
      </Empty>
    );
  }
  if (caller.isPending) return <Empty title="Looking for the principal …" />;
  if (caller.data) {
    return (
      <Empty title="No agent to ask for">
        <p>Agents appear here once they are registered and you may see them.</p>
      </Empty>
    );
  }
  // What cannot be an id at all, a text that is too long, is that of no principal either.
  if (![400, 404].includes(asProblem(caller.error).status)) {
    return <ErrorView error={caller.error} />;
  }
  if (isShared)
    return (
      <Empty title="Which of them?">
        <p>{severalCalled(principal, 'principals')}</p>
      </Empty>
    );
  return (
    <Empty title={`There is no principal “${principal}”`}>
      <p>
        Choose one of those that are suggested: by its id, or by its whole name if no other has it.
      </p>
    </Empty>
  );
}
