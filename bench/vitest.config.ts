import { defineConfig } from 'vitest/config';

/** Benchmarks: `npx vitest run --config bench/vitest.config.ts <name>`. They print figures and are no part of the tests. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['bench/*.ts'],
    exclude: ['bench/vitest.config.ts'],
    globalSetup: 'packages/service/test/global-setup.ts',
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 60_000,
    execArgv: ['--conditions=source'],
  },
});
