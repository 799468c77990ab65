import { availableParallelism } from 'node:os';

/** How many at a time a local engine works on its own account: half of the machine, since calls have to be carried as well. */
export const placesByDefault = Math.max(1, Math.floor(availableParallelism() / 2));
