/** One agent considered, and why it is in or out. */
export interface Candidate {
  readonly agentId: string;
  /** The skill that matched, when one did. */
  readonly skillId?: string;
  /** How well the text matches, 0 to 1, when that was asked. */
  readonly score?: number;
  /** Why it is chosen or ordered where it is, or why it is left out; one sentence. */
  readonly why: string;
}
