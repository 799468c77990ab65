export { LangchainModel, type Sampling } from './langchain-model';
