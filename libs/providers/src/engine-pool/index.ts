export { EnginePool, type EnginePoolOptions } from './engine-pool';
export { childProcess, type EngineLine, workerThread } from './engine-line';
export { placesByDefault } from './places';
export { Samples } from './samples-reply';
export { sentenceAhead } from './sentence-ahead';
export { type Standing, Turnstile, type TurnstileOptions } from './turnstile';
