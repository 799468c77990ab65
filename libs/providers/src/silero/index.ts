export { Silero, type SileroOptions } from './silero';
