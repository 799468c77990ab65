import { fetchThrough } from '@parley/service-kit';
import { describeGuardedAdapter, describeModelAdapter } from '../model-answer/model-adapter.suite';
import { openAiProtocol } from '../model-answer/openai-protocol.suite';
import { openAi, openAiModel } from './index';

const size = { model: 'small', contextTokens: 8192 };

describeModelAdapter('the OpenAI adapter', {
  open: (options) => openAiModel({ ...size, ...options }),
  protocol: openAiProtocol,
});
describeGuardedAdapter('a server of a customer’s in the place of OpenAI', {
  open: (own) =>
    openAi.open({ ...size, config: {}, own: { fetch: fetchThrough({ isAllowed: () => true, protocols: ['http:'] }), ...own } }),
  protocol: openAiProtocol,
});
