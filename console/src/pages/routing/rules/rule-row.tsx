import { Link, useNavigate } from '@tanstack/react-router';
import { memo } from 'react';
import { Badge } from '../../../ui/badge';
import { classNames } from '../../../ui/class-names';
import { Menu } from '../../../ui/menu';
import { conditionsInWords, howInWords, targetInWords } from './rule-words';
import type { Rule } from '../../../api/rules';

export interface RuleRowProps {
  readonly rule: Rule;
  /** The first place that a rule of the API can have, and the last one. */
  readonly first: number;
  readonly last: number;
  readonly onMove: (position: number, by: 'up' | 'down') => void;
  readonly onSwitch: () => void;
  readonly onDelete: () => void;
}

/** One rule as a picture: what it matches, an arrow, where that goes. */
export const RuleRow = memo(function RuleRow(props: RuleRowProps) {
  const { rule, first, last, onMove, onSwitch, onDelete } = props;
  const navigate = useNavigate();
  const { id, name, position, enabled, problem, target, source } = rule;
  const conditions = conditionsInWords(rule.conditions);
  const how = howInWords(target);
  const isFixed = source === 'config';
  return (
    <li id={`rule-${id}`} className={classNames('routing-rule', !enabled && 'off')}>
      <span className="routing-rule-number" aria-label={`No. ${position}`}>
        {position}
      </span>
      <div className="routing-rule-what">
        <p className="routing-rule-name">
          <Link to="/routing/rules/$ruleId" params={{ ruleId: id }}>
            {name}
          </Link>
          {!enabled && <Badge>disabled</Badge>}
          {isFixed && <Badge title="Declared in the configuration file">configuration</Badge>}
        </p>
        <div className="routing-flow">
          <ul className="routing-conditions">
            {conditions.length === 0 && <li>every message</li>}
            {conditions.map(({ what, value }) => (
              <li key={what}>
                <span className="faint">{what}</span> <code>{value}</code>
              </li>
            ))}
          </ul>
          <span className="routing-arrow" aria-hidden="true" />
          <p className={target.reject === undefined ? 'routing-target' : 'routing-target refused'}>
            <span className="visually-hidden">goes to </span>
            <strong>{targetInWords(target)}</strong>
            {how && <span className="faint">{how}</span>}
          </p>
        </div>
        {problem && (
          <p className="routing-problem">
            <Badge tone="warning">passed over</Badge> {problem}
          </p>
        )}
      </div>
      {!isFixed && (
        <div className="routing-rule-actions">
          <button
            type="button"
            className="button button-small"
            data-move="up"
            aria-label={`Move ${name} up`}
            disabled={position <= first}
            onClick={() => onMove(position - 1, 'up')}
          >
            ↑
          </button>
          <button
            type="button"
            className="button button-small"
            data-move="down"
            aria-label={`Move ${name} down`}
            disabled={position >= last}
            onClick={() => onMove(position + 1, 'down')}
          >
            ↓
          </button>
          <Menu
            label={`Actions of ${name}`}
            items={[
              {
                label: 'Edit',
                onSelect: () =>
                  void navigate({ to: '/routing/rules/$ruleId', params: { ruleId: id } }),
              },
              { label: enabled ? 'Disable' : 'Enable', onSelect: onSwitch },
              {
                label: 'Move to the top',
                disabled: position <= first,
                onSelect: () => onMove(first, 'up'),
              },
              {
                label: 'Move to the end',
                disabled: position >= last,
                onSelect: () => onMove(last, 'down'),
              },
              { label: 'Delete', danger: true, onSelect: onDelete },
            ]}
          />
        </div>
      )}
    </li>
  );
});
