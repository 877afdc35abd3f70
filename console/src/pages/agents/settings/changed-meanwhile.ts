import { client } from '../../../api/client';
import { SETTING_GROUPS } from './setting-groups';
import { type Settings, settingsOf } from './settings-form';

/** In sentences, which of the settings that are edited are by now neither as they were when one began with them, nor as one wants them. */
export async function changedMeanwhile(
  id: string,
  edited: Partial<Settings>,
  begun: Partial<Settings>,
): Promise<readonly string[]> {
  const { data } = await client.GET('/api/v1/agents/{id}', { params: { path: { id } } });
  const now = settingsOf(data!);
  return SETTING_GROUPS.flatMap(({ settings }) => settings)
    .filter(
      ({ name }) =>
        edited[name] !== undefined && now[name] !== begun[name] && now[name] !== edited[name],
    )
    .map(({ name, label }) => `${label}: somebody else has made it “${now[name]}” meanwhile.`);
}
