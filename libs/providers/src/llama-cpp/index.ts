export { LlamaCpp, llamaCppAt, type LlamaCppOptions } from './llama-cpp';
