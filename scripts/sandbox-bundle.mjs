// Set-up of the tests that start processes of the sandbox, and examples, which import the SDK as it is compiled. Tests get the scripts by `inject('sandboxScripts')`.
import { buildSdk } from './build-sdk.mjs';
import { bundle } from './bundle.mjs';

export default async function setup(project) {
  buildSdk();
  const { scripts, remove } = await bundle('sandbox', {
    main: 'packages/sandbox/src/main.ts',
    demo: 'packages/sandbox/src/demo.ts',
    karat: 'packages/service/src/main.ts',
  });
  project.provide('sandboxScripts', scripts);
  return remove;
}
