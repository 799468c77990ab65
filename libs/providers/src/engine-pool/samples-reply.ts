import { z } from 'zod';

/** Samples in a reply. Told by their tag, since what crosses a line between realms has another realm's constructor. */
export const Samples = z.custom<Int16Array>((value) => Object.prototype.toString.call(value) === '[object Int16Array]');
