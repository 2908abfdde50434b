import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The service writes another nonce into each page that it serves; see `http/server/browser-app.ts` of the service. */
const nonce = '__CSP_NONCE__';

/** Fails the build when it has a component of Mantine whose styles `mantine.css` does not name. */
function requireStyles(): Plugin {
  const named = readFileSync(join(import.meta.dirname, 'src/app/mantine.css'), 'utf8');
  const styles = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles/Button.css'));
  return {
    name: 'require-styles',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        const modules = chunk.type === 'chunk' ? Object.keys(chunk.modules) : [];
        for (const id of modules) {
          const name = /@mantine\/core\/.*\/(\w+)\.module\.m?js$/.exec(id)?.[1];
          const style = `${name}.css`;
          if (name && existsSync(join(styles, style)) && !named.includes(`/${style}`))
            this.error(`src/app/mantine.css lacks ${style}`);
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), requireStyles()],
  html: { cspNonce: nonce },
  build: {
    target: 'es2022',
    manifest: true,
    // Inlined files would be data: addresses, which the page's policy refuses for all but images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/operator': process.env.KARAT_OPERATOR_URL ?? 'http://127.0.0.1:8081' } },
});
