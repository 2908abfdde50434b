import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

/** How much less pages count in the search than guides: what is only looked up comes after what explains. */
const ranks: [RegExp, number][] = [
  [/^\/conformance/, 0.1],
  [/^\/(architecture|dependencies|indexing|performance|processes|program|changes)/, 0.3],
  [/^\/(operations|operator-guide|going-live|console)/, 0.5],
  [/^\/(errors|reasons)\//, 0.2],
];

const boostDocument = (page: string) => ranks.find(([pattern]) => pattern.test(page))?.[1] ?? 1;

export default {
  extends: DefaultTheme,
  // Not in the configuration: functions in it are made of text in the browser, which the policy of the pages forbids.
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions: { boostDocument } } };
  },
} satisfies Theme;
