export { ChatCompletionsModel, type ChatCompletionsOptions } from './chat-completions-model';
