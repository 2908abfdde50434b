import { defineConfig, mergeConfig, type Plugin } from 'vite';
import { readSamples, sampleFiles } from '../../scripts/samples.mjs';
import applicationConfig from './vite.config.ts';

/** The samples that the portal shows, by the names of their regions. */
const shown = ['createApiKey', 'createUser', 'quoteBuy', 'createWebhookEndpoint', 'buy'];
const samplesModule = 'virtual:samples';

/** Gives the portal the samples of the SDKs, as `virtual:samples`. */
function samples(): Plugin {
  return {
    name: 'samples',
    resolveId: (id) => (id === samplesModule ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${samplesModule}`) return undefined;
      for (const file of sampleFiles) this.addWatchFile(file);
      const all = readSamples();
      return `export default ${JSON.stringify(Object.fromEntries(shown.map((name) => [name, all[name]])))};`;
    },
  };
}

/** The portal of partners: the same sources and rules as the console, with another page, at `/portal`. */
export default mergeConfig(
  applicationConfig,
  defineConfig({
    base: '/portal/',
    plugins: [samples()],
    build: { outDir: 'dist-portal', rolldownOptions: { input: 'portal.html' } },
    server: { proxy: { '/v1': process.env.KARAT_URL ?? 'http://127.0.0.1:8080' } },
  }),
);
