export { Rnnoise, type RnnoiseOptions } from './rnnoise';
