import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Field, Select, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';

type ModuleLevel = Schema<'ModuleLevelDto'>;
type Level = ModuleLevel['level'];

const LEVELS = Object.keys({
  trace: true,
  debug: true,
  info: true,
  warn: true,
  error: true,
  fatal: true,
  silent: true,
} satisfies Record<ModuleLevel['level'], true>);

const TIMES = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: 'One hour' },
  { value: '28800', label: '8 hours' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: '7 days' },
];

/** Sets the level of a module for a while. */
export function LogLevelForm({
  of,
  onClose,
  onSet,
}: {
  readonly of: ModuleLevel;
  readonly onClose: () => void;
  readonly onSet: (level: Level, forSeconds: number) => Promise<unknown>;
}) {
  const [level, setLevel] = useState<Level>(of.level);
  const [seconds, setSeconds] = useState('3600');
  return (
    <FormDialog
      title={`Log level of ${of.module}`}
      description={`Within about a second in all processes of the hub; then it is ${of.configured} again, as the configuration says.`}
      action="Set the level"
      onClose={onClose}
      onSubmit={() => onSet(level, Number(seconds))}
    >
      {(violations) => (
        <>
          <Field label="Level" error={violationOf(violations, 'levels')}>
            <Select
              value={level}
              onChange={({ target }) => setLevel(target.value as Level)}
              options={LEVELS.map((value) => ({ value, label: value }))}
            />
          </Field>
          <Field label="For" error={violationOf(violations, 'forSeconds')}>
            <Select
              value={seconds}
              onChange={({ target }) => setSeconds(target.value)}
              options={TIMES}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
