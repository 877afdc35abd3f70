import type { Settings } from './settings.js';

interface Fault {
  readonly key: string;
  readonly text: string;
}

/** What is missing for the login at Vault, and for the one at AWS. */
export function vaultFaults({ vault, aws }: Settings['secrets']): Fault[] {
  const faults: Fault[] = [];
  const { auth } = vault;
  const need = (holds: boolean, member: string, text: string): void => {
    if (!holds) faults.push({ key: `secrets.vault.auth.${member}`, text });
  };
  if (vault.address !== null) {
    if (auth.method === 'token') {
      need(
        (auth.token === null) !== (auth.tokenFile === null),
        'token',
        'or tokenFile is needed for the method token, and not both',
      );
    }
    if (auth.method === 'kubernetes') {
      need(auth.role !== null, 'role', 'is needed for the method kubernetes');
    }
    if (auth.method === 'approle') {
      need(auth.roleId !== null, 'roleId', 'is needed for the method approle');
      need(
        (auth.secretId === null) !== (auth.secretIdFile === null),
        'secretId',
        'or secretIdFile is needed for the method approle, and not both',
      );
    }
  }
  if ((aws.accessKeyId === null) !== (aws.secretAccessKey === null)) {
    faults.push({
      key: 'secrets.aws.secretAccessKey',
      text: 'and secrets.aws.accessKeyId are set together or not at all',
    });
  }
  return faults;
}
