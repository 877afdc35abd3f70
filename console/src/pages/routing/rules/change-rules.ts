import { useMutation } from '@tanstack/react-query';
import { client, queries } from '../../../api/client';
import { type Rule, RULES } from '../../../api/rules';
import { notify } from '../../../ui/toast';

/** To be called when a rule has changed. */
export function rulesChanged(): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [first, path] }) =>
      first === RULES[0] || (typeof path === 'string' && path.startsWith('/api/v1/routes/rules')),
  });
}

/** Puts a rule at another place; the list shows it there at once. */
export function useMoveRule() {
  return useMutation({
    mutationFn: ({ rule, position }: { readonly rule: Rule; readonly position: number }) =>
      client.PATCH('/api/v1/routes/rules/{id}', {
        params: { path: { id: rule.id } },
        body: { position },
      }),
    onMutate: async ({ rule, position }) => {
      await queries.cancelQueries({ queryKey: RULES });
      queries.setQueryData<readonly Rule[]>(RULES, (rules = []) => moved(rules, rule, position));
    },
    onSuccess: (_answer, { rule, position }) => notify(`“${rule.name}” is no. ${position} now.`),
    onSettled: rulesChanged,
  });
}

function moved(rules: readonly Rule[], rule: Rule, position: number): readonly Rule[] {
  const others = rules.filter(({ id }) => id !== rule.id);
  others.splice(position - 1, 0, rule);
  return others.map((each, index) => ({ ...each, position: index + 1 }));
}

/** Puts a rule into force, or out of it. */
export function useSwitchRule() {
  return useMutation({
    mutationFn: ({ id, enabled }: Rule) =>
      client.PATCH('/api/v1/routes/rules/{id}', {
        params: { path: { id } },
        body: { enabled: !enabled },
      }),
    onSuccess: (_answer, { name, enabled }) =>
      notify(`“${name}” is ${enabled ? 'disabled' : 'enabled'}.`),
    onSettled: rulesChanged,
  });
}

export async function deleteRule({ id, name }: Rule): Promise<void> {
  await client.DELETE('/api/v1/routes/rules/{id}', { params: { path: { id } } });
  await rulesChanged();
  notify(`“${name}” is deleted. Its versions can still be read.`);
}
