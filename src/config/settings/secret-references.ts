import { optionalPem } from '../pem-setting.js';
import { referenceGrants } from '../reference-grants.js';
import { choice, duration, optionalHttpUrl, optionalText, text } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { DAY, HOUR, MINUTE, SECOND } from '../units.js';

const MOUNT = /^[\w.-]+(\/[\w.-]+)*$/;
const MOUNT_FORM = 'a path without / at its ends';

/** Secrets that are kept elsewhere and named by references. */
export const SECRET_REFERENCE_SETTINGS = {
  refreshMs: duration({
    min: SECOND,
    max: DAY,
    default: MINUTE,
    description:
      'How long a secret of Vault or AWS is used before it is read again, beside those who use it. Files are looked at every second.',
  }),
  staleForMs: duration({
    min: 0,
    max: 7 * DAY,
    default: HOUR,
    description:
      'How long the last value of a referenced secret is used while its source cannot be asked. A secret that its source says is not there (any more) is not used at all.',
  }),
  references: new Section(
    'What may be referred to by {"secretRef": …} through the API; in the configuration every reference may stand. By default nothing. Each entry is text, for administrators of the whole hub, or {allow, organizations}, for those of these organizations too. {organization} stands for the name of the organization; between it and * has to be one of / : @ + = !.',
    {
      env: referenceGrants('name', {
        default: [],
        description:
          'Variables: a name, or AGENT_* for all that begin with AGENT_; TEAM_{organization}_TOKEN for one of each organization. None that begins with A2A_HUB.',
      }),
      files: referenceGrants('directory', {
        default: [],
        description: 'Directories: the files in and below them. Links must not lead out of them.',
      }),
      vault: referenceGrants('path', {
        default: [],
        description: 'Paths below secrets.vault.mount: that secret and all below it.',
      }),
      aws: referenceGrants('name', {
        default: [],
        description:
          'Names or ARNs of AWS Secrets Manager, or their beginning, such as teams/{organization}/, and *.',
      }),
    },
  ),
  vault: new Section(
    'The Vault that vault:PATH#FIELD names secrets in (key-value engine, version 2).',
    {
      address: optionalHttpUrl({
        default: null,
        description:
          'Its address. The egress guard counts for it: one that is not public stands in egress.allow, too.',
      }),
      namespace: optionalText({ default: null, description: 'Its namespace (Vault Enterprise).' }),
      mount: text({
        default: 'secret',
        pattern: MOUNT,
        allowed: MOUNT_FORM,
        description: 'Where the key-value engine is mounted.',
      }),
      caCertificate: optionalPem({
        default: null,
        description: 'The authorities that are trusted for it. Null: those of the system.',
      }),
      timeoutMs: duration({
        min: 1,
        max: MINUTE,
        default: 5 * SECOND,
        description: 'How long one call of Vault may take.',
      }),
      auth: new Section('How the hub logs in. Tokens are renewed before they end.', {
        method: choice(['token', 'kubernetes', 'approle'], {
          default: 'token',
          description:
            'token: by token or tokenFile. kubernetes: by role and the service account of the pod. approle: by roleId and secretId or secretIdFile.',
        }),
        mount: optionalText({
          default: null,
          pattern: MOUNT,
          allowed: `${MOUNT_FORM}, or null`,
          description: 'Where the method is mounted below auth/. Null: kubernetes, approle.',
        }),
        token: optionalText({ default: null, secret: true, description: 'A token of Vault.' }),
        tokenFile: optionalText({
          default: null,
          description: 'A file with the token, read at each login, as a Vault agent keeps one.',
        }),
        role: optionalText({ default: null, description: 'kubernetes: the role.' }),
        jwtFile: text({
          default: '/var/run/secrets/kubernetes.io/serviceaccount/token',
          description: 'kubernetes: the token of the service account, read at each login.',
        }),
        roleId: optionalText({ default: null, description: 'approle: the RoleID.' }),
        secretId: optionalText({
          default: null,
          secret: true,
          description: 'approle: the SecretID.',
        }),
        secretIdFile: optionalText({
          default: null,
          description: 'approle: a file with the SecretID, read at each login.',
        }),
      }),
    },
  ),
  aws: new Section(
    'AWS Secrets Manager, for aws:NAME. It needs the package @aws-sdk/client-secrets-manager beside the hub.',
    {
      region: optionalText({
        default: null,
        description: 'Null: what the SDK of AWS finds (AWS_REGION, configuration files).',
      }),
      endpoint: optionalHttpUrl({
        default: null,
        description: "Another address than the region's, such as a VPC endpoint.",
      }),
      accessKeyId: optionalText({
        default: null,
        description:
          'Credentials, with secretAccessKey. Null: what the SDK finds (variables, web identity, roles of containers and instances), asking metadata services past the egress guard.',
      }),
      secretAccessKey: optionalText({
        default: null,
        secret: true,
        description: 'The secret of accessKeyId.',
      }),
    },
  ),
} as const;
