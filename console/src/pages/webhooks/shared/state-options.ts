/** The states of webhooks and subscriptions as a filter offers them. */
export const STATE_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'failing', label: 'Failing' },
  { value: 'paused', label: 'Paused' },
  { value: 'disabled', label: 'Disabled' },
];
