/** What pages load when they show it, because it is large. */
export const loadPriceCourse = async () => {
  const { loadUPlot } = await import('../ui/price-chart.js');
  return loadUPlot(() => import('../pages/price-course'));
};

export const pageParts = [loadPriceCourse];
