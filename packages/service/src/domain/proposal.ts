/** How long what was proposed or announced can be done, from the moment that it is ready. The program has the same. */
export const proposalLifeSeconds = 14n * 86_400n;
