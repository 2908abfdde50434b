/** What the program takes for no limit: the largest number of 64 bits. It refuses a limit of 0. */
export const noLimit = 2n ** 64n - 1n;

/** How long what was proposed or announced can be done, from the moment that it is ready. The program has the same. */
export const proposalLifeSeconds = 14n * 86_400n;
