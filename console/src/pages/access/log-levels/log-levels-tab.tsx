import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client, queries, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { type Column, DataTable } from '../../../ui/data-table';
import { ErrorView, Loaded } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { LogLevelForm } from './log-level-form';

type ModuleLevel = Schema<'ModuleLevelDto'>;
type Level = ModuleLevel['level'];

/** How often what others have set is read, and what has run out. */
const REFRESH_MS = 5_000;

/** How much each module of the hub logs, and until when. */
export function LogLevelsTab() {
  const [changing, setChanging] = useState<ModuleLevel | null>(null);
  const logging = api.useQuery(
    'get',
    '/api/v1/logging',
    {},
    { refetchInterval: every(REFRESH_MS) },
  );
  const set = async (module: string, level: Level | null, forSeconds?: number) => {
    const { data } = await client.PATCH('/api/v1/logging', {
      body: {
        levels: { [module]: level },
        ...(forSeconds !== undefined && { forSeconds }),
      },
    });
    await queries.invalidateQueries({ queryKey: ['get', '/api/v1/logging'] });
    notify(
      level === null
        ? `${module} logs as the configuration says.`
        : `${module} logs from ${level} on, in all processes of the hub.`,
    );
    return data;
  };
  const reset = useMutation({ mutationFn: (module: string) => set(module, null) });
  return (
    <Card title="Levels of the log" flush>
      {reset.error && <ErrorView error={reset.error} />}
      <Loaded query={logging}>
        {({ modules }) => (
          <DataTable
            label="Log levels"
            rows={modules}
            rowId={({ module }) => module}
            empty={null}
            columns={[
              ...COLUMNS,
              {
                id: 'actions',
                header: 'Actions',
                align: 'end',
                cell: (row) => (
                  <span className="actions">
                    {row.endsAt !== null && (
                      <Button
                        small
                        aria-label={`Reset ${row.module}`}
                        busy={reset.isPending && reset.variables === row.module}
                        onClick={() => reset.mutate(row.module)}
                      >
                        Reset
                      </Button>
                    )}
                    <Button
                      small
                      aria-label={`Change ${row.module}`}
                      onClick={() => setChanging(row)}
                    >
                      Change
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {changing && (
        <LogLevelForm
          of={changing}
          onClose={() => setChanging(null)}
          onSet={(level, forSeconds) => set(changing.module, level, forSeconds)}
        />
      )}
    </Card>
  );
}

const COLUMNS: Column<ModuleLevel>[] = [
  { id: 'module', header: 'Module', sortBy: ({ module }) => module, cell: ({ module }) => module },
  {
    id: 'level',
    header: 'Logs from',
    cell: ({ level, configured }) => (
      <Badge tone={level === configured ? 'neutral' : 'warning'}>{level}</Badge>
    ),
  },
  {
    id: 'until',
    header: 'Until',
    share: 1.6,
    cell: ({ endsAt, configured }) =>
      endsAt === null ? (
        <span className="faint">as the configuration says</span>
      ) : (
        <>
          <Time at={endsAt} />, then {configured}
        </>
      ),
  },
];
