export { type Deliverer, startDeliverer } from './deliverer.js';
