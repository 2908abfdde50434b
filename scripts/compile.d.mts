/** Compiles a package of this repository, with those it needs. Returns whether it compiled. */
export function compile(project: string): boolean;
