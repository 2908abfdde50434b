import type { Visitor } from 'codama';

/** Returns what writes the client of a program into a folder. */
export function renderVisitor(folder: string, options: Record<string, unknown>): Visitor<unknown, 'rootNode'>;
