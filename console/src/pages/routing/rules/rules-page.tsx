import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Empty, ErrorView, Loaded } from '../../../ui/feedback';
import { TextInput } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { counted } from '../../../ui/lists';
import { Card } from '../../../ui/page';
import { RoutingFrame } from '../routing-frame';
import { DecisionOrder } from './decision-order';
import { DeleteRule } from './delete-rule';
import { RuleRow } from './rule-row';
import { conditionsInWords, targetInWords } from './rule-words';
import { type Rule, useRules } from '../../../api/rules';
import { useMoveRule, useSwitchRule } from './change-rules';

export function RulesPage() {
  const rules = useRules();
  return (
    <RoutingFrame
      lead="Rules send messages whose sender leaves the choice to the hub. The first one that applies and finds an agent decides."
      actions={
        <Link className="button button-primary" to="/routing/rules/new">
          <Icon name="plus" /> New rule
        </Link>
      }
    >
      <DecisionOrder />
      <Loaded query={rules}>{(list) => <Rules rules={list} />}</Loaded>
    </RoutingFrame>
  );
}

function Rules({ rules }: { readonly rules: readonly Rule[] }) {
  const { q = '' } = useSearch({ from: '/routing/rules' });
  const navigate = useNavigate({ from: '/routing/rules' });
  const move = useMoveRule();
  const change = useSwitchRule();
  const [toDelete, setToDelete] = useState<Rule | null>(null);
  const [moved, setMoved] = useState<{ id: string; by: string } | null>(null);
  useEffect(() => {
    if (moved === null) return;
    const row = document.getElementById(`rule-${moved.id}`);
    const wanted = row?.querySelector<HTMLButtonElement>(`[data-move=${moved.by}]`);
    (wanted?.disabled
      ? row?.querySelector<HTMLButtonElement>('[data-move]:enabled')
      : wanted
    )?.focus();
  }, [moved, rules]);
  if (rules.length === 0) {
    return (
      <Card>
        <Empty title="There are no rules">
          <p>
            Messages that name no agent, skill or tags go by their words. A rule sends them where
            you want: by organization, media type, metadata or text.
          </p>
          <Link to="/routing/rules/new">Make the first rule</Link>
        </Empty>
      </Card>
    );
  }
  const firstOfApi = rules.findIndex(({ source }) => source === 'api') + 1;
  const shown = rules.filter((rule) => matches(rule, q));
  const error = move.error ?? change.error;
  return (
    <Card
      title={counted(rules.length, 'rule')}
      flush
      actions={
        <TextInput
          type="search"
          aria-label="Find rules"
          placeholder="Find rules"
          value={q}
          onChange={({ target }) =>
            void navigate({ search: target.value ? { q: target.value } : {}, replace: true })
          }
        />
      }
    >
      {error && <ErrorView error={error} />}
      {shown.length === 0 && <Empty title={`No rule has “${q}”`} />}
      <ol className="routing-rules" aria-label="Rules in their order">
        {shown.map((rule) => (
          <RuleRow
            key={rule.id}
            rule={rule}
            first={firstOfApi}
            last={rules.length}
            onMove={(position, by) => {
              setMoved({ id: rule.id, by });
              move.mutate({ rule, position });
            }}
            onSwitch={() => change.mutate(rule)}
            onDelete={() => setToDelete(rule)}
          />
        ))}
      </ol>
      <DeleteRule rule={toDelete} onClose={() => setToDelete(null)} />
    </Card>
  );
}

function matches(rule: Rule, q: string): boolean {
  const texts = [
    rule.id,
    rule.name,
    targetInWords(rule.target),
    ...conditionsInWords(rule.conditions).map(({ what, value }) => `${what} ${value}`),
  ];
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}
