import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

const lineCharactersMax = 1_000_000;
const lastWords = '[DONE]';
/** How long a server that has said its last word is given to end the response; its connection is not used again otherwise. */
const farewellMs = 50;

/**
 * The data lines of an event stream up to its last word. Afterwards the connection is ready for the next request; left earlier,
 * it is closed, so that the server stops.
 */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<string> {
  const lines = new Lines();
  let farewell: NodeJS.Timeout | undefined;
  try {
    for await (const bytes of response) {
      for (const line of lines.of(bytes)) {
        if (farewell || !line.startsWith('data:')) continue;
        const data = line.slice('data:'.length).trim();
        if (data === lastWords) farewell = setTimeout(() => response.destroy(), farewellMs);
        else yield data;
      }
    }
  } catch (error) {
    // A failure behind the last word concerns nobody.
    if (!farewell) throw error;
  } finally {
    clearTimeout(farewell);
  }
}

/** Cuts a stream of bytes into lines; what follows the last line break waits for more. */
class Lines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  *of(bytes: Buffer): Generator<string> {
    const text = this.rest + this.decoder.write(bytes);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield text.slice(start, end);
      start = end + 1;
    }
    this.rest = text.slice(start);
    if (this.rest.length > lineCharactersMax) throw new Error('a line of the event stream does not end');
  }
}
