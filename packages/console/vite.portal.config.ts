import { defineConfig, mergeConfig } from 'vite';
import console from './vite.config.ts';

/** The portal of partners: the same sources and rules as the console, with another page, at `/portal`. */
export default mergeConfig(
  console,
  defineConfig({
    base: '/portal/',
    build: { outDir: 'dist-portal', rolldownOptions: { input: 'portal.html' } },
    server: { proxy: { '/v1': process.env.KARAT_URL ?? 'http://127.0.0.1:8080' } },
  }),
);
