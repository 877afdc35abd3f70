/** What a deletion leaves, and why; it is in the receipt. */
export const KEPT: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'entries of the audit log',
    why: 'they cannot be changed; they hold ids and names of organizations, and no contents',
  },
  {
    what: 'this job',
    why: 'it proves the deletion; it holds ids',
  },
  {
    what: 'with `blocks`: the id of an organization, disabled, or keyed digests of those who signed in',
    why: 'they are not to come back unasked',
  },
  {
    what: 'configuration, agents of several organizations, and routing rules and policies of the hub, that name the owner',
    why: 'they are those of the operator',
  },
  {
    what: 'deliveries to webhooks that the owner had set on tasks of others',
    why: 'they belong to the owners of those tasks',
  },
];
