/**
 * The optional parts of A2A that the doors serve. Cards declare exactly these, and an operation of a
 * part that is false is refused (A2A §3.3.4).
 */
export const CAPABILITIES = {
  streaming: true,
  pushNotifications: true,
  extendedAgentCard: false,
} as const;
