/** Installs a folder of the repository that has a lock file of its own, unless that was done before. */
export function installOnce(folder: string): void;
