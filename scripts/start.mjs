// `npm start` and `npm run demo`: runs the program that the first argument names, with the others.
import { pathToFileURL } from 'node:url';
import { startScript } from './start-bundle.mjs';

const [node, , program, ...args] = process.argv;
const script = await startScript(program, () =>
  console.log('Karat is being built, because sources are newer than its bundle'),
);
process.argv = [node, script, ...args];
await import(pathToFileURL(script).href);
