import * as client from '@karat/program-client';

const prefix = 'KARAT_ERROR__';

/** The program's errors by code, with the names that its source and documentation use, such as `SlippageExceeded`. */
const names = new Map(
  Object.entries(client).flatMap(([name, value]): [number, string][] =>
    name.startsWith(prefix) && typeof value === 'number'
      ? [[value, toPascalCase(name.slice(prefix.length))]]
      : [],
  ),
);

/**
 * Name and meaning of an error code of the program: `SlippageExceeded: The output is below the accepted minimum.`
 * Undefined for a code that is none of its own, such as one of the token program.
 */
export function describeProgramError(code: number): string | undefined {
  const name = names.get(code);
  if (name === undefined) return undefined;
  // The generated texts are left out of a process with NODE_ENV=production; the name alone has to do there.
  if (process.env.NODE_ENV === 'production') return name;
  return `${name}: ${client.getKaratErrorMessage(code as client.KaratError)}`;
}

function toPascalCase(constant: string): string {
  return constant
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
