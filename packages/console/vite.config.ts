import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service writes another nonce into each page that it serves; see `http/operator/console.ts` of the service. */
const nonce = '__CSP_NONCE__';

export default defineConfig({
  plugins: [react()],
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
