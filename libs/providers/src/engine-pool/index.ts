export { EnginePool, type EnginePoolOptions, childProcess, type EngineLine, workerThread } from './engine-pool';
export { placesByDefault } from './places';
export { Samples } from './samples-reply';
export { sentenceAhead } from './sentence-ahead';
export { type Standing, Turnstile, type TurnstileOptions } from './turnstile';
