/** The ids that operators give: of agents, rules, composite skills and their steps. */
export const ID = /^[a-z0-9-]{1,63}$/;
