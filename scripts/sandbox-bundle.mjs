// Set-up of the tests that start processes of the sandbox. Tests get the scripts by `inject('sandboxScripts')`.
import { bundle } from './bundle.mjs';

export default async function setup(project) {
  const { scripts, remove } = await bundle('sandbox', {
    main: 'packages/sandbox/src/main.ts',
    demo: 'packages/sandbox/src/demo.ts',
    karat: 'packages/service/src/main.ts',
  });
  project.provide('sandboxScripts', scripts);
  return remove;
}
