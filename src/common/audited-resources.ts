/** What entries of the audit log are about: the types of their resources. */
export const AUDITED_RESOURCES = [
  'agents',
  'audit',
  'composite-skills',
  'consents',
  'data.deletions',
  'data.exports',
  'keys',
  'limits',
  'organizations',
  'policies',
  'principals',
  'push.auth-profiles',
  'push.configs',
  'push.dead-letters',
  'push.deliveries',
  'push.subscriptions',
  'routes.rules',
  'sign-in-blocks',
  'signing-keys',
  'tasks',
] as const;
export type AuditedResource = (typeof AUDITED_RESOURCES)[number];
