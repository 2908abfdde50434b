/** Parts of pages that are loaded when they are shown, because they are large. */
const loadPriceCourse = async () => {
  const { loadUPlot } = await import('../ui/price-chart.js');
  return loadUPlot(() => import('./price-course'));
};
const loadSnippet = () => import('./snippet');

export const pageParts = { priceCourse: loadPriceCourse, snippet: loadSnippet };
