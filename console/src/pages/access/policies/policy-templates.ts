/** Texts to begin a policy with. */
export const TEMPLATES: readonly { readonly label: string; readonly text: string }[] = [
  {
    label: 'A group may not ask an agent',
    text: `@reason("Contractors do not see the books.")
forbid(
  principal in Group::"contractors",
  action == Action::"SendMessage",
  resource in Agent::"books"
);`,
  },
  {
    label: 'An organization may not ask an agent',
    text: `@reason("Acme does not see the books.")
forbid(
  principal in Organization::"acme",
  action == Action::"SendMessage",
  resource in Agent::"books"
);`,
  },
  {
    label: 'Only a group may ask for what has a tag',
    text: `@reason("Only finance may ask for invoices.")
forbid(
  principal,
  action == Action::"SendMessage",
  resource in Tag::"invoices"
)
  unless { principal in Group::"finance" };`,
  },
  {
    label: 'Nobody without signing in',
    text: `@reason("Sign in: a key is not enough.")
forbid(
  principal,
  action == Action::"SendMessage",
  resource in Tag::"confidential"
)
  unless { principal.signIn == "token" };`,
  },
  {
    label: 'An organization may ask for a tag (with policies.default: deny)',
    text: `permit(
  principal in Organization::"acme",
  action == Action::"SendMessage",
  resource in Tag::"general"
);`,
  },
];
