import { Reflector } from '@nestjs/core';
import type { HandWritten } from './hand-written';
import type { Route } from './route';

/** The endpoint that a handler serves, for guards and interceptors. */
export const Endpoint = Reflector.createDecorator<Route | HandWritten>();
