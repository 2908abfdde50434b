// The renderer of the program's client. It brings a formatter with it and is large: installed when it first runs.
import { installOnce } from '../../scripts/install-once.mjs';

installOnce(import.meta.dirname);
export const { renderVisitor } = await import('@codama/renderers-js');
