import { loadUPlot } from '../ui/price-chart.js';

/** What pages load when they show it, because it is large. */
export const loadPriceFigure = () => loadUPlot(() => import('../ui/price-figure'));

export const pageParts = [loadPriceFigure];
