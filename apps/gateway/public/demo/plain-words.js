const closings = {
  1000: 'The conversation has ended.',
  1008: 'The server could not go on with this conversation. Please start a new one.',
  1009: 'A message was too long for the server.',
  1011: 'Something failed on the server, and trying again did not help. Please try later.',
  1012: 'The server restarted and could not be reached again.',
  1013: 'No speech service is there right now. Please try again in a while.',
  4401: 'The server does not know this page’s widget, or does not take it from this address.',
  4403: 'The agent may not be talked with: the credits have run out, or this was switched off.',
  4408: 'The conversation ended because nothing was said for a while.',
  4409: 'This way in has been used already. Please reload the page.',
  4410: 'This conversation goes on in another window.',
  4429: 'Too many conversations are open. Close another one, or wait a minute.',
};

const endings = {
  ENDED_BY_USER: closings[1000],
  ENDED_BY_AGENT: 'The agent has ended the conversation.',
  IDLE: 'The conversation ended because nothing was said for a while.',
  CREDITS_EXHAUSTED: 'The conversation ended because the credits for talking have run out.',
  MAX_DURATION: 'The conversation ended because it had become as long as one may be.',
  TRANSFERRED: 'The conversation went on with a person.',
  FAILED: 'The conversation ended because something failed. Please start a new one.',
};

const faults = {
  CREDITS_EXHAUSTED: 'The credits for talking have run out. The owner of this workspace can top them up.',
  SPEECH_PROVIDER_UNAVAILABLE:
    'There is no engine for spoken language here right now: this language may need one, or it is still being set up. Typing works.',
  MODEL_PROVIDER_UNAVAILABLE: 'The agent’s language model does not answer right now. Please try again in a moment.',
  PROVIDER_NOT_CONFIGURED: 'A speech or language provider that the agent uses is not configured on this installation.',
  SESSION_BUSY: 'The agent is still busy with what you said before. Please try again in a moment.',
  RATE_LIMITED: 'That was too much at once. Please wait a minute.',
  NOT_FOUND: 'This conversation, or its agent, is no longer there. Start a new one.',
  SERVICE_UNAVAILABLE: 'A service behind the agent is not available right now. Please try again in a moment.',
};

const microphoneProblems = {
  NotAllowedError: 'The browser did not allow the microphone. Allow it beside the page’s address, or type instead.',
  NotFoundError: 'No microphone was found. Plug one in, or type instead.',
  NotReadableError: 'The microphone is in use by another program. Close that program, or type instead.',
  SecurityError: 'A browser gives the microphone only to pages opened by https or on this machine. You can type instead.',
};

/** Why a socket was closed, for a person. */
export function closingWords(code) {
  return closings[code] ?? 'The connection was lost and could not be made again. Check the network, then start again.';
}

/** Why a conversation ended, for a person. */
export function endingWords(reason) {
  return endings[reason] ?? closings[1000];
}

/** An error frame as text for a person; a code without a text here uses its own message. */
export function faultWords({ code, message }) {
  return faults[code] ?? message ?? 'Something went wrong.';
}

/** Why there is no microphone, for a person. */
export function microphoneWords({ name }) {
  return microphoneProblems[name] ?? 'The microphone could not be opened. You can type instead.';
}
