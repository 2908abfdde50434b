// Set-up of the tests that start processes of the service. Tests get its script by `inject('serviceScript')`.
import { bundle } from './bundle.mjs';

export default async function setup(project) {
  const { scripts, remove } = await bundle('service', {
    main: 'packages/service/src/main.ts',
    signer: 'packages/signer/src/main.ts',
  });
  project.provide('serviceScript', scripts.main);
  project.provide('signerScript', scripts.signer);
  return remove;
}
