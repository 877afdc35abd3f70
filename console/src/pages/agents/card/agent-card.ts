/** Characters that are shown at first of a description. */
export const DESCRIPTION = 400;

/** The parts of an agent card in the 1.0 form that are shown. All of it is what the agent says. */
export interface AgentCard {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly provider?: { readonly organization?: string; readonly url?: string };
  readonly documentationUrl?: string;
  readonly capabilities?: {
    readonly streaming?: boolean;
    readonly pushNotifications?: boolean;
    readonly extendedAgentCard?: boolean;
    readonly extensions?: readonly CardExtension[];
  };
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly securitySchemes?: Readonly<Record<string, unknown>>;
  readonly skills?: readonly CardSkill[];
}

export interface CardExtension {
  readonly uri?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface CardSkill {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

export function cardOf(card: unknown): AgentCard {
  return card ?? {};
}

export function skillsOf(card: unknown): readonly CardSkill[] {
  return cardOf(card).skills ?? [];
}
