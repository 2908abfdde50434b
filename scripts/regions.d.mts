/** Returns the names of the regions of a program, in their order. */
export function regionNames(program: string): string[];

/** Returns the code of a region. Throws if the program has none. */
export function regionOf(program: string, name: string): string;
