import { type Adapter, describeGuardedAdapter, describeModelAdapter } from '../model-answer/model-adapter.suite';
import { openAiProtocol } from '../model-answer/openai-protocol.suite';
import { openAiModel } from './index';

const adapter: Adapter = {
  open: (options) => openAiModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: openAiProtocol,
};

describeModelAdapter('the OpenAI adapter', adapter);
describeGuardedAdapter('the OpenAI adapter', adapter);
