// Breaks a rule on purpose: tools/lint-steps.mjs fails if this is no longer caught.
// expects: @nx/enforce-module-boundaries
import type { Route } from '../../apps/gateway/src/endpoint/route';

export type Borrowed = Route;
