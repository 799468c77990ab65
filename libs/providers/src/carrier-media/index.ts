export { CallLine } from './call-line';
export { ChunkOrder } from './chunk-order';
export { type ChunkLimits, type Dialect, type Happening, silenceOf } from './dialect';
export { anyLength, audioOf, base64Of, Count, digitOf, formatOf, jsonOf, malformed, Parameters } from './json-message';
export { mediaOverWebSocket } from './web-socket-wire';
