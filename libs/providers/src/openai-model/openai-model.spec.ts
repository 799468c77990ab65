import { describeModelAdapter } from '../model-answer/model-adapter.suite';
import { openAiProtocol } from '../model-answer/openai-protocol.suite';
import { openAiModel } from './openai-model';

describeModelAdapter('the OpenAI adapter', {
  open: (options) => openAiModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: openAiProtocol,
});
